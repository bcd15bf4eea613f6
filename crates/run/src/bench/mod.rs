//! What a benchmark measures beside schemes, compiled as the loops are: bare memory, bare channels, page writes drawn in
//! advance, a scheme that does nothing.

pub mod channels;
pub mod drawn;
pub mod nothing;
pub mod roofline;
