//! Result of mapping one request.

use crate::request::Request;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mapped {
    /// One request.
    One(Request),
    /// One request, without the parts outside the touched pages.
    Cut(Request),
    /// Two requests, split at the end of the space.
    Two(Request, Request),
    /// Nothing: the request touches no mapped page.
    Outside,
}
