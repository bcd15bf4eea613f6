//! Tests of the block device.

mod channels;
mod child;
mod clients;
mod conformance;
mod crowd;
mod cut;
mod damage;
mod faults;
mod full_disk;
mod fuzz;
mod kill;
mod model;
mod mounted;
mod on_disk;
mod power;
mod protocol;
mod served;
mod tls;
mod wait;
