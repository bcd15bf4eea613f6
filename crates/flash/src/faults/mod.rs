//! Faults of NAND, as wrappers that compose around any [`Flash`](crate::Flash).
