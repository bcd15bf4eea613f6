//! Tests of the block device.

mod channels;
mod child;
mod clients;
mod conformance;
mod crash;
mod crowd;
mod cut;
mod damage;
mod damaged;
mod faults;
mod firmware;
mod full_disk;
mod fuzz;
mod kill;
mod model;
mod mounted;
mod on_disk;
mod power;
mod prefix;
mod protocol;
mod repaired;
mod served;
mod sums;
mod tls;
mod wait;
