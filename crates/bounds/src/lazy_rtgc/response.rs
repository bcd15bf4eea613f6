//! Times of tasks and collections (Eqs 3, 5 and 6; Table I).

use crate::page_level;
use flash::{Ns, Part};

/// R = e_T + Σ e_G: a task and the collections done with it (Eq. 3).
pub fn task_response_ns(service_ns: Ns, collections_ns: impl IntoIterator<Item = Ns>) -> Ns {
    collections_ns.into_iter().fold(service_ns, |sum, each| sum + each)
}

/// U(R) without any real-time mechanism (Definition 2.3, Eq. 5): the same as [`page_level::response_ns`].
pub fn worst_response_ns(part: &Part) -> Ns {
    page_level::response_ns(part)
}

/// U(e_r) = t_rd: the map is in RAM.
pub fn read_ns(part: &Part) -> Ns {
    part.t_r_ns
}

/// U(e_w) = t_wr.
pub fn write_ns(part: &Part) -> Ns {
    part.t_prog_ns
}

/// U(R) = max(U(e_r), t_er + U(e_w)): a write and the one step after it (Theorem 4.2, Table I).
pub fn response_ns(part: &Part) -> Ns {
    read_ns(part).max(part.t_bers_ns + write_ns(part))
}
