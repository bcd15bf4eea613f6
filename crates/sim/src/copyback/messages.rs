//! The log of a control unit as text.
