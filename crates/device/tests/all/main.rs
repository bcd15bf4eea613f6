//! Tests of the block device.

mod child;
mod clients;
mod conformance;
mod damage;
mod full_disk;
mod kill;
mod model;
mod on_disk;
mod protocol;
mod served;
