//! Fig. 7: shares of the request, the step after it, and idle time in a period L(p).

use super::cells::{Cells, Load, Ran, every_pages_per_block, part};
use super::closed_forms::us;
use super::paper::TABLE_VI;
use super::table_6::NJ_PER_US;
use crate::reproduction::PlotFile;
use crate::sheet::{Outcome, Sheet};
use bounds::gftl;
use lab::report::plots::Stacked;

/// Mean times in a period, µs.
#[derive(Clone, Copy, Debug)]
struct Shares {
    period: f64,
    request: f64,
    step: f64,
}

impl Shares {
    fn of(ran: &Ran) -> Self {
        let (read, write) = (&ran.measured.read, &ran.measured.write);
        let step = read.step.and(&write.step).mean_us();
        let request = read.response.and(&write.response).mean_us() - step;
        Self { period: us(gftl::period_ns(&ran.device.part)), request, step }
    }

    fn idle(&self) -> f64 {
        self.period - self.request - self.step
    }
}

pub(super) fn fig_7(cells: &Cells, to: &mut Sheet) -> Outcome {
    let mut bars = Vec::new();
    for load in [Load::Synthetic, Load::Consumer] {
        let (mut idle, mut steps) = (Vec::new(), Vec::new());
        to.say("load", load.name());
        for cell in every_pages_per_block("gftl", load) {
            let name = format!("{}, π = {}", load.name(), cell.pages_per_block);
            let at = format!("π = {}", cell.pages_per_block);
            let ran = match cells.get(cell) {
                Ok(ran) => ran,
                Err(why) => {
                    to.missing(&name, why);
                    idle.push((at.clone(), None));
                    steps.push((at, None));
                    continue;
                }
            };
            let shares = Shares::of(ran);
            let percent = |us: f64| us / shares.period * 100.0;
            to.say("name", &name).put("request", percent(shares.request));
            to.put("step", percent(shares.step));
            to.put("idle", percent(shares.idle()));
            to.say("erase", us(ran.device.part.t_bers_ns)).say("step", shares.step);
            to.put("busy", shares.request + shares.step);
            idle.push((at.clone(), Some(shares.idle() / shares.period)));
            steps.push((at, Some(shares.step)));
            bars.push((name, vec![shares.request, shares.step, shares.idle()]));
        }
        let told = steps.iter().filter_map(|(_, step)| Some(format!("{:.0}", (*step)?)));
        to.say("steps", told.collect::<Vec<_>>().join(", "));
        to.put("steps-rise", steps);
        let [low, high] = [32, 64].map(|pages| printed_idle(load, pages));
        to.say("low", low).say("high", high);
        to.put(if high > low { "idle-error" } else { "idle-falls" }, idle);
    }
    let stacked = Stacked {
        caption: "GFTL: a period of requests, at 100 % utilisation".into(),
        label: "µs of L(p), mean over all requests",
        parts: vec!["request".into(), "partial collection".into(), "idle".into()],
        bars,
        totals: None,
    };
    to.plots.push(PlotFile { name: "fig-7.svg".into(), figure: stacked.into() });
    Ok(())
}

/// Share of L(p) that a write of Table VI and its step leave, percent.
fn printed_idle(load: Load, pages_per_block: u32) -> Option<f64> {
    let name = load.trace().name;
    let column = TABLE_VI
        .iter()
        .find(|column| column.trace.name == name && column.pages_per_block == pages_per_block)?;
    let busy = column.write_nj.parse::<f64>().ok()? / NJ_PER_US;
    Some((1.0 - busy / us(gftl::period_ns(&part(pages_per_block)))) * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_writes_of_table_6_leave_of_a_period() {
        let left = |load, pages| (printed_idle(load, pages).unwrap() * 10.0).round() / 10.0;
        assert_eq!([32, 64].map(|pages| left(Load::Synthetic, pages)), [52.8, 59.8]);
        assert_eq!([32, 64].map(|pages| left(Load::Consumer, pages)), [89.1, 87.8]);
        assert_eq!(printed_idle(Load::Synthetic, 16), None);
    }
}
