//! Where a policy puts a request.

use crate::request::Request;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mapped {
    /// There.
    One(Request),
    /// There, less the part that nothing else touches.
    Cut(Request),
    /// There, in two parts: around the end of the space.
    Two(Request, Request),
    /// Nowhere: it touches nothing that has a place.
    Outside,
}
