use super::*;
use flash::Cause;

/// Observations of these values, each with its place.
fn of(values: &[f64]) -> RunMean {
    let n = values.len() as f64;
    let placed: Vec<_> =
        values.iter().enumerate().map(|(at, value)| (at as f64 / n, *value)).collect();
    RunMean::of(&placed)
}

/// Values of which five each are equal.
fn fives(values: &[f64]) -> Vec<f64> {
    values.iter().flat_map(|value| [*value; FIVE]).collect()
}

/// Even noise between −0.5 and 0.5.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    }
}

/// `n` values of a shape over 0 to 1, with noise.
fn noisy(seed: u64, n: u32, shape: impl Fn(f64) -> f64) -> RunMean {
    let mut noise = noise(seed);
    let values = (0..n).map(|at| shape(f64::from(at) / f64::from(n)) + noise());
    of(&values.collect::<Vec<_>>())
}

#[test]
fn mser_is_as_by_hand() {
    // Σ(x − mean)²/n² of all ten: 32.4/100; without the first 8.889/81 = 0.1097; without two 8/64 = 0.125; without three
    // 6.857/49 = 0.140.
    let values = [8.0, 2.0, 4.0, 2.0, 4.0, 2.0, 4.0, 2.0, 4.0, 2.0];
    assert_eq!(mser_5(&fives(&values)), Some(5));
    // Means of five count, not the values: these differ within each five alone.
    let within: Vec<f64> = (0..10).flat_map(|_| [9.0, 1.0, 1.0, 1.0, 3.0]).collect();
    assert_eq!(mser_5(&within), Some(0));
    assert_eq!(mser_5(&within[..49]), None);
    // The end is no cut: five means are left, though two equal ones would vary by nothing.
    let ends = [1.0, 9.0, 1.0, 9.0, 1.0, 9.0, 1.0, 9.0, 5.0, 5.0];
    assert!(mser_5(&fives(&ends)).unwrap() <= 25);
}

#[test]
fn batch_means_are_as_by_hand() {
    let means: Vec<f64> = (0..20).map(|at| if at % 2 == 0 { 1.0 } else { 3.0 }).collect();
    let found = of(&fives(&means));
    let close =
        |of: Option<f64>, hand: f64| assert!((of.unwrap() - hand).abs() < 1e-3, "{found:?}");
    assert_eq!(
        (found.settled, found.warm_up_share, found.mean),
        (Some(true), Some(0.0), Some(2.0))
    );
    // s² = 20/19: 2.093 · √(20/19/20).
    close(found.ci95, 0.4802);
    // 19 products of −1 over 20 squares.
    close(found.batch_correlation, -0.95);
    // Slope 10/665, over 19 steps, over the mean.
    close(found.trend_share, 0.1429);
    // Five observations more than 20 batches of five hold: the first five are left out.
    let longer = of(&[[2.5; 5].to_vec(), fives(&means)].concat());
    assert_eq!((longer.mean, longer.warm_up_share), (Some(2.0), Some(5.0 / 105.0)));
}

#[test]
fn noise_has_settled_and_its_interval_holds_the_mean() {
    let runs = 400;
    let found: Vec<RunMean> = (0..runs).map(|seed| noisy(seed, 1000, |_| 10.0)).collect();
    let settled = found.iter().filter(|of| of.settled == Some(true)).count();
    assert!(settled >= 396, "{settled} of {runs}");
    let held = |of: &&RunMean| of.ci95.is_some_and(|half| (of.mean.unwrap() - 10.0).abs() <= half);
    let held = found.iter().filter(held).count();
    // 95 % ± three standard deviations of a share of 400.
    assert!((367..=393).contains(&held), "{held} of {runs}");
    let cut: f64 = found.iter().map(|of| of.warm_up_share.unwrap()).sum::<f64>() / 400.0;
    assert!(cut < 0.1, "{cut}");
}

#[test]
fn a_step_is_cut_and_a_late_one_has_not_settled() {
    let mut settled = 0;
    for seed in 0..100 {
        let early = noisy(seed, 1000, |x| if x < 0.2 { 1.0 } else { 3.0 });
        settled += u32::from(early.settled == Some(true));
        let cut = early.warm_up_share.unwrap();
        assert!((0.195..0.35).contains(&cut), "{early:?}");
        assert!((early.mean.unwrap() - 3.0).abs() < 0.1, "{early:?}");
        let late = noisy(seed, 1000, |x| if x < 0.6 { 1.0 } else { 3.0 });
        assert_eq!((late.settled, late.ci95), (Some(false), None), "{late:?}");
    }
    // A trend is seen in 1 % of noise.
    assert!(settled >= 95, "{settled}");
}

#[test]
fn a_ramp_has_not_settled_be_it_hidden_in_noise() {
    assert_eq!(of(&(0..200).map(f64::from).collect::<Vec<_>>()).settled, Some(false));
    for seed in 0..100 {
        for rise in [10.0, 1.0, 0.4] {
            let found = noisy(seed, 1000, |x| 2.0 + rise * x);
            assert_eq!(found.settled, Some(false), "{rise}: {found:?}");
        }
        // A drift of less than 1 %.
        let drift = noisy(seed, 100_000, |x| 10.0 + 0.08 * x);
        assert_eq!(drift.settled, Some(true), "{drift:?}");
    }
}

#[test]
fn what_does_not_vary_has_settled_at_once_and_nothing_is_told_of_too_little() {
    let even = of(&[1.1; 50]);
    assert_eq!(
        (even.settled, even.warm_up_share),
        (Some(true), Some(0.2)),
        "what 20 batches of 2 do not hold"
    );
    assert_eq!((even.ci95.map(|half| half < 1e-12), even.batch_correlation), (Some(true), None));
    assert_eq!(of(&[1.0; 49]), RunMean::default());
    assert_eq!(of(&[0.0; 60]).trend_share, None);
}

/// A run of `rounds` rounds of 10 host pages on 2560: the first 5 without an erase; copies, responses and completions of each.
fn run(rounds: u64, copies: impl Fn(u64) -> u64) -> (Observations, u64) {
    let mut counts = Counts::default();
    let mut found = Observations::begin(2560, &counts);
    let mut of = Totals::default();
    for round in 1..=rounds {
        if round == 6 {
            counts.add(Operation::Erase, Cause::Collection);
        }
        counts.add_many(Operation::Program, Cause::Host, 10);
        counts.add_many(Operation::Copy, Cause::Collection, copies(round));
        of.tasks += 20;
        of.response_ns += u128::from(20 * (100 + copies(round)));
        of.requests += 4;
        of.completion_ns += 4 * 700;
        if found.is_due(10 * round) {
            found.end(10 * round, &counts, of);
        }
    }
    (found, 10 * rounds)
}

#[test]
fn observations_are_of_equal_stretches_from_the_first_erase_on_and_bounded() {
    let (found, written) = run(200, |_| 5);
    let report = found.report(written);
    assert_eq!(report.observations, 195);
    assert_eq!((report.waf.mean, report.waf.settled), (Some(1.5), Some(true)));
    assert_eq!(report.response_ns.mean, Some(105.0));
    assert_eq!(report.request_completion_ns.mean, Some(700.0));
    // Fifty pages before the first erase, and what no batch holds: 195 − 20 · 9.
    assert_eq!(report.waf.warm_up_share, Some((50.0 + 150.0) / 2000.0));
    // A long run keeps the same figures in a bounded number of longer observations.
    let (found, written) = run(20_000, |round| 10 + round % 2);
    let stretches = found.ends.windows(2).map(|pair| pair[1].written - pair[0].written);
    let first = found.ends[0].written - found.start.written;
    assert!(stretches.chain([first]).all(|pages| pages == found.pages), "{}", found.pages);
    let report = found.report(written);
    assert!((512..1024).contains(&report.observations), "{report:?}");
    assert!((report.waf.mean.unwrap() - 2.05).abs() < 1e-9, "{report:?}");
    assert_eq!(report.waf.settled, Some(true));
    // Reads alone: nothing to observe.
    assert_eq!(Observations::begin(2560, &Counts::default()).report(0), BatchMeans::default());
}
