//! The signals of a channel as a Value Change Dump (IEEE 1364, §18).
