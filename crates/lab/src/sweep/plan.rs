//! The points of a sweep: each combination of values is an experiment of one scheme.

use crate::config::{
    Axis, ConfigError, Experiment, Exported, PartTable, SchemeChoice, TextOrTable, Word,
};
use crate::hash::{hash_file, hash_text};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use workload::{AddressPolicy, WorkloadSpec};

/// Most points of a sweep: their rows are in memory, some 20 kB each.
const MOST_POINTS: usize = 100_000;

/// Axes that come first, in this order; they change what other keys mean.
const FIRST: [&str; 2] = ["trace", "part"];
/// Axes of what is exported: of a trace the data stay then, and the device varies.
const OF_SHARE: [&str; 3] = ["share", "op", "default_share"];
/// The axis that comes last, so that runs that differ in their seed alone are neighbours.
const LAST: &str = "seed";

/// One combination of values.
#[derive(Clone, Debug)]
pub struct Point {
    /// The scheme as given, with its settings before they are varied.
    pub scheme: String,
    /// Varied keys and their values, in the order of the axes.
    pub settings: Vec<(String, String)>,
    /// Hash of the configuration and of the trace's content, 16 hexadecimal digits.
    pub hash: String,
    /// SHA-256 of the trace's file; empty without one.
    pub trace_hash: String,
    /// The experiment; or why the values do not go together.
    pub experiment: Result<Experiment, String>,
}

/// The points of a sweep.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What is varied, in the order of the points; the last one changes fastest. Schemes are no axis here.
    pub axes: Vec<Axis>,
    /// The points, in the order of the tables.
    pub points: Vec<Point>,
}

impl Plan {
    /// What the first run that can be made is made on; what is varied may be another in other runs.
    pub fn summary(&self) -> Vec<(&'static str, String)> {
        let resolved = |point: &Point| point.experiment.as_ref().ok()?.clone().resolve().ok();
        self.points.iter().find_map(resolved).map_or_else(Vec::new, |first| first.summary())
    }

    /// Every combination of the schemes and the axes of an experiment; reads traces to hash them.
    ///
    /// # Errors
    /// A value that fits no point, too many points, or a trace that cannot be read.
    pub fn new(mut experiment: Experiment) -> Result<Self, ConfigError> {
        let mut axes = std::mem::take(&mut experiment.sweep);
        experiment.out = None;
        experiment.written_by = None;
        if let Some(file) = experiment.part_file.take() {
            experiment.part = Some(TextOrTable(PartTable::from_file(&file)?));
        }
        let schemes = schemes(&experiment, axes.take("scheme"))?;
        let first: Vec<Axis> = FIRST.iter().filter_map(|key| axes.take(key)).collect();
        let last = axes.take(LAST);
        let axes: Vec<Axis> = first.into_iter().chain(axes.0).chain(last).collect();
        experiment.check_axes(&axes, &schemes)?;
        let runs = axes.iter().try_fold(schemes.len(), |runs, axis| {
            runs.checked_mul(axis.values.len()).filter(|runs| *runs <= MOST_POINTS)
        });
        let Some(runs) = runs else {
            let reason = format!("has more than {MOST_POINTS} points; vary less at a time");
            return Err(ConfigError::setting("sweep", reason));
        };
        let varies = |keys: &[&str]| axes.iter().any(|axis| keys.contains(&&*axis.key));
        let keeps_data = varies(&OF_SHARE) && !varies(&["capacity", "exported"]);
        let keeps_data =
            keeps_data && experiment.capacity.is_none() && experiment.exported.is_none();
        let mut hashes = TraceHashes::default();
        let mut points = Vec::with_capacity(runs);
        // Counts how often each value was set, and was refused; the last error tells why.
        let mut refused: BTreeMap<(usize, usize), (usize, Option<ConfigError>)> = BTreeMap::new();
        let leading = axes.iter().take_while(|axis| FIRST.contains(&axis.key.as_str())).count();
        let places = |mut number: usize| {
            let mut places = vec![0; axes.len()];
            let mut scheme = 0;
            for at in (0..axes.len()).rev() {
                if at + 1 == leading {
                    (number, scheme) = (number / schemes.len(), number % schemes.len());
                }
                (number, places[at]) =
                    (number / axes[at].values.len(), number % axes[at].values.len());
            }
            if leading == 0 {
                scheme = number;
            }
            (scheme, places)
        };
        for number in 0..runs {
            let (scheme, places) = places(number);
            let (label, choice) = &schemes[scheme];
            let mut varied = Experiment { schemes: vec![choice.clone()], ..experiment.clone() };
            let mut fault = None;
            for (at, axis) in axes.iter().enumerate() {
                let place = places[at];
                let result = match fault {
                    None => varied.vary(&axis.key, &axis.values[place]),
                    Some(_) => Ok(()),
                };
                let (fits, last) = refused.entry((at, place)).or_insert((0, None));
                match result {
                    Ok(()) => *fits += 1,
                    Err(error) => {
                        fault = Some(error.to_string());
                        *last = Some(error);
                    }
                }
            }
            let has_data = matches!(&varied.workload.0,
                WorkloadSpec::Trace { addresses, .. } if *addresses != AddressPolicy::Wrap);
            if keeps_data && has_data {
                varied.exported = Some(Word(Exported::Trace));
            }
            let settings = axes.iter().zip(&places);
            let settings = settings.map(|(axis, at)| (axis.key.clone(), axis.values[*at].clone()));
            let settings: Vec<(String, String)> = settings.collect();
            let experiment = fault.map_or(Ok(varied), Err);
            let (hash, trace_hash) = match &experiment {
                Ok(experiment) => hashes.of(experiment)?,
                Err(_) => (hash_text(&format!("{label} {settings:?}")), String::new()),
            };
            points.push(Point { scheme: label.clone(), settings, hash, trace_hash, experiment });
        }
        for (fits, last) in refused.into_values() {
            if let (0, Some(error)) = (fits, last) {
                return Err(error);
            }
        }
        Ok(Self { axes, points })
    }

    /// True if all points of the other plan are among these.
    pub fn includes(&self, other: &Self) -> bool {
        let hashes: BTreeSet<&str> = self.points.iter().map(|point| &*point.hash).collect();
        // What does not go together has no run that would be lost.
        let mut runs = other.points.iter().filter(|point| point.experiment.is_ok());
        runs.all(|point| hashes.contains(&*point.hash))
    }
}

/// The schemes with their names as given.
fn schemes(
    experiment: &Experiment,
    axis: Option<Axis>,
) -> Result<Vec<(String, SchemeChoice)>, ConfigError> {
    let choices = match axis {
        None => experiment.schemes.clone(),
        Some(axis) => axis.values.iter().map(|text| text.parse()).collect::<Result<Vec<_>, _>>()?,
    };
    if choices.is_empty() {
        return Err(ConfigError::setting("schemes", "is empty; name at least one scheme"));
    }
    for choice in &choices {
        choice.0.find_preset()?;
    }
    let named: Vec<_> = choices.into_iter().map(|choice| (choice.0.label(), choice)).collect();
    for (at, (label, _)) in named.iter().enumerate() {
        if named[..at].iter().any(|(other, _)| other == label) {
            return Err(ConfigError::setting(
                "schemes",
                format!(
                    "two schemes are labelled `{label}`; omit one, or rename it with `+label=NAME`"
                ),
            ));
        }
    }
    Ok(named)
}

/// Hashes of the traces' contents; each file is read once.
#[derive(Default)]
pub(crate) struct TraceHashes(BTreeMap<PathBuf, String>);

impl TraceHashes {
    /// Hash of an experiment with its trace's content instead of its path, and hash of that content.
    pub(crate) fn of(&mut self, experiment: &Experiment) -> Result<(String, String), ConfigError> {
        let mut content = String::new();
        let mut experiment = experiment.clone();
        for path in experiment.workload.0.paths_mut() {
            let hash = match self.0.get(path) {
                Some(hash) => hash.clone(),
                None => {
                    let hash = hash_file(path)
                        .map_err(|source| ConfigError::Io { path: path.clone(), source })?;
                    self.0.insert(path.clone(), hash.clone());
                    hash
                }
            };
            *path = PathBuf::from(format!("sha256:{hash}"));
            content.push_str(if content.is_empty() { "" } else { " " });
            content.push_str(&hash);
        }
        Ok((hash_text(&experiment.without_defaults().to_toml()?), content))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(text: &str) -> Result<Plan, String> {
        let experiment = Experiment::from_toml(text, "test").map_err(|error| error.to_string())?;
        Plan::new(experiment).map_err(|error| error.to_string())
    }

    #[test]
    fn every_combination_is_a_point_with_its_own_hash() {
        let plan = plan(
            "schemes = ['fsr', 'page-level']\nworkload = 'uniform'\n[sweep]\nseed = '1..2'\nshare = '0.5,0.6'\ntrace = 'uniform,zipf'",
        )
        .unwrap();
        assert_eq!(plan.points.len(), 16);
        let told: Vec<String> = plan
            .points
            .iter()
            .map(|point| {
                let values: Vec<_> =
                    point.settings.iter().map(|(_, value)| value.as_str()).collect();
                format!("{} {}", point.scheme, values.join(" "))
            })
            .collect();
        assert_eq!(
            told[..6],
            [
                "fsr uniform 0.5 1",
                "fsr uniform 0.5 2",
                "fsr uniform 0.6 1",
                "fsr uniform 0.6 2",
                "page-level uniform 0.5 1",
                "page-level uniform 0.5 2",
            ]
        );
        assert_eq!(told[8], "fsr zipf 0.5 1");
        let mut hashes: Vec<_> = plan.points.iter().map(|point| &point.hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), 16);
    }

    #[test]
    fn a_value_that_fits_nowhere_is_an_error_and_one_that_fits_somewhere_a_point() {
        let text = "workload = 'uniform'\n[sweep]\n";
        assert!(plan(&format!("{text}shar = '1,2'")).unwrap_err().contains("`share`"));
        assert!(plan(&format!("{text}victim = 'greedy,lifo'")).unwrap_err().contains("`fifo`"));
        assert!(plan(&format!("{text}scheme = 'fsr,fls'")).unwrap_err().contains("`fsr`"));
        let both =
            plan(&format!("{text}scheme = 'fsr'\ntrace = 'uniform,zipf'\ntheta = '0.9'")).unwrap();
        let fits: Vec<bool> = both.points.iter().map(|point| point.experiment.is_ok()).collect();
        assert_eq!(fits, [false, true]);
        assert!(
            plan(&format!("{text}seed = '1..9999'\nshare = '0.1..0.9:0.01'"))
                .unwrap_err()
                .contains("more than 100000")
        );
    }

    #[test]
    fn a_setting_has_one_axis_and_no_value_besides() {
        let text = "workload = 'uniform'\n";
        for (more, said) in [
            (
                "[sweep]\nop = '7%,28%'\nshare = '0.7,0.8'",
                "over `op` and `share`: both set `share`, and the last would win; vary one of them",
            ),
            ("[sweep]\nrequests = '1,2'\n\"workload.requests\" = '3,4'", "both set `requests`"),
            ("[sweep]\nsize = '2k'\n\"workload.size\" = '4k'", "both set `workload.size`"),
            ("[sweep]\ncmt = '8k'\ncmt_bytes = '4k'", "both set `cmt`"),
            ("[sweep]\ndefault_share = '0.7'\nop = '28%'", "over `op` and `default_share`"),
            ("default_share = 0.7\n[sweep]\nshare = '0.6'", "no effect"),
            (
                "schemes = ['fsr', 'page-level+victim=random']\n[sweep]\nvictim = 'greedy,fifo'",
                "the scheme `page-level+victim=random` sets victim=random already; omit that there and list it",
            ),
            ("schemes = ['fsr+share=0.75']\n[sweep]\nop = '28%'", "sets share=0.75 already"),
            ("schemes = ['fsr+share=0.75']\n[sweep]\ndefault_share = '0.7'", "omit that there,"),
            (
                "[sweep]\nscheme = 'fsr,fsr+dynamic_wear'\ndynamic_wear = 'true'",
                "dynamic_wear=true",
            ),
        ] {
            let error = plan(&format!("{text}{more}")).unwrap_err();
            assert!(error.contains(said), "{more}: {error}");
        }
        // The default schemes set one of their settings themselves.
        assert!(plan(&format!("{text}[sweep]\nfrontiers = 'split,shared'")).is_ok());
        assert!(plan(&format!("{text}[sweep]\ndefault_share = '0.7,0.8'")).is_ok());
    }

    #[test]
    fn a_value_that_is_the_default_is_the_same_run() {
        let hash = |axis: &str| {
            let text = format!("workload = 'uniform'\nschemes = ['fsr']\nchannels = 2\n{axis}");
            plan(&text).unwrap().points[0].hash.clone()
        };
        for key in ["wear", "interface", "suspend"] {
            let off = if key == "wear" { "off" } else { "none" };
            assert_eq!(hash(&format!("[sweep]\n{key} = '{off}'")), hash(""), "{key}");
        }
        assert_ne!(hash("[sweep]\nwear = 'gap:50'"), hash(""));
    }

    #[test]
    fn the_hash_is_of_the_configuration_and_of_the_content() {
        let directory = std::env::temp_dir().join(format!("ftlkit-hash-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let file = |name: &str, text: &str| {
            let path = directory.join(name);
            std::fs::write(&path, text).unwrap();
            path.display().to_string()
        };
        let head = "arrival_ns,op,offset_bytes,length_bytes\n0,write,0,4096\n";
        let (one, same) = (file("a.csv", head), file("b.csv", head));
        let other = file("c.csv", &format!("{head}1,write,0,4096\n"));
        let hash = |trace: &str, seed: u64| {
            let text = format!("seed = {seed}\nschemes = ['fsr']\nworkload = '{trace}'");
            plan(&text).unwrap().points[0].hash.clone()
        };
        assert_eq!(hash(&one, 1), hash(&same, 1));
        assert_ne!(hash(&one, 1), hash(&other, 1));
        assert_ne!(hash(&one, 1), hash(&one, 2));
        std::fs::remove_dir_all(&directory).unwrap();
        let missing = plan("schemes = ['fsr']\nworkload = './none.csv'").unwrap_err();
        assert!(missing.contains("none.csv"), "{missing}");
    }

    /// Two traces of other sizes, too: each point has an array of which the trace takes as much.
    #[test]
    fn a_sweep_over_shares_of_a_trace_keeps_the_data_and_varies_the_device() {
        let plan_of = |more: &str| {
            let head = "workload = 'sqlite-wal'\nschemes = ['page-level']\n";
            let points = plan(&format!("{head}{more}")).unwrap().points;
            points.into_iter().map(|point| point.experiment.unwrap().resolve().unwrap())
        };
        let mut capacity = 0;
        for resolved in plan_of("[sweep]\nop = '5%,100%,400%'\ntrace = 'sqlite-wal,maildir'") {
            let plan = &resolved.schemes[0].plan;
            let share = resolved.facts.footprint_bytes as f64
                / resolved.geometry.page_bytes() as f64
                / f64::from(plan.logical_pages);
            assert!((0.84..=0.85).contains(&share), "{share}");
            assert_ne!(resolved.geometry.capacity_bytes(), capacity);
            capacity = resolved.geometry.capacity_bytes();
        }
        let given: Vec<_> = plan_of("capacity = '128MiB'\n[sweep]\nshare = '0.7,0.8'").collect();
        assert!(given.iter().all(|r| r.geometry.capacity_bytes() == 128 << 20));
        let fixed: Vec<_> = plan_of("exported = '64MiB'\n[sweep]\nshare = '0.7,0.8'").collect();
        let pages = |r: &crate::config::Resolved| r.schemes[0].plan.logical_pages;
        assert!(
            fixed.iter().all(|r| (32768..32768 + 64).contains(&pages(r))),
            "{:?}",
            pages(&fixed[0])
        );
        let built_in: Vec<_> = plan_of("[sweep]\ntrace = 'uniform'\nshare = '0.7,0.8'").collect();
        assert!(built_in.iter().all(|r| r.geometry.capacity_bytes() == 1 << 30));
    }
}
