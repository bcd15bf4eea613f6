//! Tables I to III: values of the closed forms.

use crate::row::Row;
use crate::sheet::{Outcome, Sheet};
use bounds::tables;
use flash::parts::EVALUATION_SLC;

/// Table I on the evaluation's part. The paper prints formulas in Table I, and the response bounds of two schemes as
/// figures in §6.2.
pub(super) fn table_1(to: &mut Sheet) -> Outcome {
    let us = |ns: u64| ns as f64 / 1000.0;
    for row in tables::service_bounds(&EVALUATION_SLC) {
        let scheme = row.scheme;
        let response = us(row.response_ns);
        let what = format!("{scheme}: U(R)");
        to.rows.push(match printed_response(scheme) {
            Some(printed) => Row::exact(&what, "µs", printed, response),
            None => Row::evidence(&what, "µs", response, 1),
        });
        to.rows.push(Row::evidence(&format!("{scheme}: U(e_r)"), "µs", us(row.read_ns), 1));
        to.rows.push(Row::evidence(&format!("{scheme}: U(e_w)"), "µs", us(row.write_ns), 1));
        let valid = f64::from(row.victim_valid);
        to.rows.push(Row::evidence(&format!("{scheme}: U(λ)"), "pages", valid, 0));
        let what = format!("{scheme}: U(σ)");
        to.rows.push(match row.share {
            // §6.2(5) prints them: Fig. 11 compares.
            Some(share) => Row::evidence(&what, "%", share.as_f64() * 100.0, 2),
            None => Row::missing(&what, "%", Some("N/A"), "the paper has none either: it depends on the real-time tasks; 75 % in its evaluation"),
        });
    }
    Ok(())
}

fn printed_response(scheme: &str) -> Option<&'static str> {
    match scheme {
        "lazy-rtgc" => Some("2220.9"),
        "gftl" => Some("3885"),
        _ => None,
    }
}

pub(super) fn table_2(to: &mut Sheet) -> Outcome {
    for printed in tables::PRINTED {
        let part =
            flash::parts::by_name(printed.part).expect("Table II's parts are in the catalogue");
        let ours = tables::space_configuration(part);
        let name = printed.part;
        for (what, figure, value) in [
            ("t_rd", printed.t_r_us, ours.t_r_ns),
            ("t_wr", printed.t_prog_us, ours.t_prog_ns),
            ("t_er", printed.t_bers_us, ours.t_bers_ns),
        ] {
            let what = format!("{name}: {what}");
            let row = Row::exact(&what, "µs", &figure.to_string(), value as f64 / 1e3);
            to.rows.push(row.as_input());
        }
        let pages = printed.pages_per_block.to_string();
        let what = format!("{name}: π");
        let row = Row::exact(&what, "pages", &pages, ours.pages_per_block.into());
        to.rows.push(row.as_input());
        let share = format!("{:.3}", f64::from(printed.lazy_rtgc_permille) / 1e3);
        let what = format!("{name}: U(σ)");
        to.rows.push(Row::exact(&what, "", &share, ours.share.as_f64()));
    }
    Ok(())
}

pub(super) fn table_3(to: &mut Sheet) -> Outcome {
    for printed in tables::PRINTED {
        let part =
            flash::parts::by_name(printed.part).expect("Table III's parts are in the catalogue");
        let ours = tables::space_shares(part);
        let percent = |permille: u32| format!("{:.1}", f64::from(permille) / 10.0);
        for (scheme, figure, share) in [
            ("rftl", printed.rftl_permille, ours.rftl),
            ("gftl", printed.gftl_permille, ours.gftl),
            ("lazy-rtgc", printed.lazy_rtgc_permille, ours.lazy_rtgc),
        ] {
            let what = format!("{}: {scheme}", printed.part);
            let row = Row::exact(&what, "%", &percent(figure), share.as_f64() * 100.0);
            // A third of any part.
            to.rows.push(if scheme == "rftl" { row.as_input() } else { row });
        }
    }
    Ok(())
}
