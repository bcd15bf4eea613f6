//! Report of a run with more bit errors than ECC corrects.

use crate::common::case::{Case, Load};
use ftlkit_lab::run::Unobserved;
use ftlkit_lab::run_one;

/// Copies that propagate bit errors lose pages. The report then gives no bound and no violation.
#[test]
fn no_bound_is_given_where_pages_are_lost() {
    for (errors, lost) in [("wear:1000000000,2000,10", true), ("wear:1000000,2000,10", false)] {
        let options = [
            ("--part", "ddt-mlc"),
            ("--ways", "2"),
            ("--capacity", "128MiB"),
            ("--requests", "3000"),
            ("--precondition", "full"),
            ("--bit-errors", errors),
            ("--schemes", "page-level+copy=icb-unchecked"),
        ];
        let options = options.map(|(option, value)| (option, value.to_owned())).to_vec();
        let case = Case { load: Load::Builtin("uniform"), options };
        let resolved = case.experiment().unwrap().resolve().unwrap();
        let report = run_one(&resolved, 0, &Unobserved).unwrap();
        assert_eq!(report.bit_errors.unwrap().lost_pages > 0, lost, "{errors}");
        assert_eq!(report.bound_ns.is_none(), lost, "{errors}");
        assert_eq!((report.violations, report.first_violation.is_some()), (0, false), "{errors}");
        assert_eq!(report.warnings.iter().any(|said| said.contains("no bound is given")), lost);
    }
}
