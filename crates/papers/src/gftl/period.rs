//! Fig. 7: shares of the request, the step after it, and idle time in a period L(p).

use super::cells::{Cells, Load, Ran, every_pages_per_block, part};
use super::closed_forms::us;
use super::paper::TABLE_VI;
use super::table_6::NJ_PER_US;
use crate::reproduction::PlotFile;
use crate::row::{Limit, Row};
use crate::sheet::{Outcome, Sheet};
use crate::verdict::Reason;
use bounds::gftl;
use sim::report::plots::Stacked;

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
        let all = every_pages_per_block("gftl", load);
        let (mut idle, mut steps) = (Vec::new(), Vec::new());
        for cell in all {
            let name = format!("{}, π = {}", load.name(), cell.pages_per_block);
            match cells.get(cell) {
                Ok(ran) => {
                    let shares = Shares::of(ran);
                    to.rows.extend(rows(&name, &shares, ran));
                    idle.push((cell.pages_per_block, shares.idle() / shares.period));
                    steps.push((cell.pages_per_block, shares.step));
                    bars.push((name, vec![shares.request, shares.step, shares.idle()]));
                }
                Err(why) => to.rows.push(Row::missing(&name, "", None, why)),
            }
        }
        to.rows.push(steps_rise(load, &steps));
        to.rows.push(idle_falls(load, &idle, &steps));
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

fn rows(name: &str, shares: &Shares, ran: &Ran) -> Vec<Row> {
    let share = |what: &str, value: f64| {
        Row::evidence(&format!("{name}: {what}"), "% of L(p)", value / shares.period * 100.0, 1)
    };
    let erase = us(ran.device.part.t_bers_ns);
    let busy = shares.request + shares.step;
    vec![
        share("request", shares.request),
        share("partial collection", shares.step),
        share("idle", shares.idle()),
        Row::limit(
            &format!("{name}: request and partial collection, below T_er"),
            "µs",
            Limit::Below(erase),
            busy,
        )
        .because(Reason::StandIn(format!(
            "a step of {:.0} µs in the mean follows each request; how soon the trace fills blocks again is not printed",
            shares.step
        ))),
    ]
}

const NAMES: [&str; 3] = ["π = 16", "π = 32", "π = 64"];

fn by_pages(values: &[(u32, f64)]) -> [(&'static str, Option<f64>); 3] {
    let value = |pages: u32| values.iter().find(|(p, _)| *p == pages).map(|(_, value)| *value);
    [(NAMES[0], value(16)), (NAMES[1], value(32)), (NAMES[2], value(64))]
}

/// "… leading to longer time spent in GC", with π.
fn steps_rise(load: Load, steps: &[(u32, f64)]) -> Row {
    let what = format!("{}: partial collection per request by π", load.name());
    let claim = format!("{}: time in partial collection rises with π", load.name());
    Row::order(&what, &[&NAMES[..1], &NAMES[1..2], &NAMES[2..]], &by_pages(steps))
        .headline("§VI, Fig. 7", &claim)
}

/// "This idle time decreases with increasing π."
fn idle_falls(load: Load, idle: &[(u32, f64)], steps: &[(u32, f64)]) -> Row {
    let what = format!("{}: idle share by π", load.name());
    let row = Row::order(&what, &[&NAMES[2..], &NAMES[1..2], &NAMES[..1]], &by_pages(idle));
    let [Some(low), Some(high)] = [32, 64].map(|pages| printed_idle(load, pages)) else {
        return row;
    };
    if high > low {
        return row.because(Reason::PaperError(format!(
            "L(p) grows with π, a write and its step do not beyond 2,300 µs: the writes of Table VI themselves leave \
             {low:.1} % of it idle at π = 32 and {high:.1} % at 64"
        )));
    }
    let steps: Vec<String> = steps.iter().map(|(_, step)| format!("{step:.0}")).collect();
    row.because(Reason::StandIn(format!(
        "the steps take {} µs per request while L(p) grows from 2,425 to 3,625; Table VI leaves {low:.1} % idle at π = 32 \
         and {high:.1} % at 64",
        steps.join(", ")
    )))
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
