//! Clients that leave, that never come in, and that are too many: the others are served.

use crate::served::{Answer, Client, Served, greet, patient, preset};
use crate::wait::wait_until;
use ftlkit_device::Latency;
use ftlkit_device::nbd::Limits;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::Ordering;

#[test]
fn a_client_that_has_left_is_served_no_more() {
    let mut served = Served::of_pages(&preset("page-level"), 512);
    let length = served.bytes as u32;
    // All at once: they wait in the server, which cannot send what nobody reads.
    let mut client = Client::new(&served.socket(), "disk", false);
    client.send_many(2000, 0, 0, length);
    drop(client);
    wait_until(|| served.connections() == 0);
    // As many as may be outstanding, and what the device did until the first reply that nobody took.
    let taken = served.taken.load(Ordering::Relaxed);
    assert!(taken < 300, "{taken}");
    let mut other = Client::new(&served.socket(), "disk", false);
    assert_eq!(other.bytes(0, 3), [0; 3]);
    drop(other);
    served.stop();
}

#[test]
fn a_client_that_leaves_before_the_first_reply_lets_go_of_its_place() {
    let mut served = Served::of_pages(&preset("page-level"), 512);
    served.stop();
    // Its replies are due in days: nothing that is sent would tell that it has left.
    served.start(&preset("page-level"), patient(), Latency::Scaled(1_000_000_000_000), false);
    for requests in [3, 500] {
        let mut client = Client::new(&served.socket(), "disk", false);
        // Zeros, which are programmed: a read of what was never written takes no time.
        client.send_many(requests, 6, 0, 512);
        drop(client);
        wait_until(|| served.connections() == 0);
    }
    let mut other = Client::new(&served.socket(), "look", false);
    assert_eq!(other.ask(0, 1, 0, 1, &[1]), Answer::Error(1));
}

#[test]
fn a_client_that_has_only_nothing_more_to_say_gets_its_replies() {
    let mut served = Served::of_pages(&preset("page-level"), 512);
    let mut client = Client::new(&served.socket(), "disk", false);
    let cookies: Vec<u64> = (0..100).map(|_| client.send(0, 0, 0, 512, &[])).collect();
    client.says_no_more();
    for cookie in cookies {
        assert_eq!(client.receive(512), (cookie, Answer::Bytes(vec![0; 512])));
    }
    drop(client);
    served.stop();
}

#[test]
fn handshakes_that_do_not_end_take_no_place_of_others() {
    let mut served = Served::of_pages(&preset("page-level"), 512);
    served.stop();
    let limits = Limits { connections: 2, handshakes: 3, ..patient() };
    served.start(&preset("page-level"), limits, Latency::None, false);
    let mut silent: Vec<UnixStream> = (0..10).map(|_| greet(&served.socket())).collect();
    let mut clients = [(); 2].map(|()| Client::new(&served.socket(), "disk", false));
    clients.iter_mut().for_each(|client| assert_eq!(client.bytes(0, 2), [0; 2]));
    // The oldest made room.
    assert_eq!(silent[0].read(&mut [0]).unwrap_or(0), 0);
    // Nobody comes in late: all places are taken.
    let newest = silent.last_mut().unwrap();
    newest.write_all(b"IHAVEOPT\0\0\0\x01\0\0\0\0").unwrap();
    assert_eq!(newest.read(&mut [0]).unwrap_or(0), 0);
    drop(clients);
    wait_until(|| served.connections() <= 1);
    Client::new(&served.socket(), "disk", false).bytes(0, 1);
    drop(silent);
    served.stop();
    let log = served.said();
    assert!(log.contains("its handshake made room for another"), "{log}");
    assert!(log.contains("there are too many connections"), "{log}");
}

#[test]
fn connections_that_are_refused_do_not_fill_the_log() {
    let mut served = Served::of_pages(&preset("page-level"), 512);
    served.stop();
    let limits = Limits { connections: 1, ..patient() };
    served.start(&preset("page-level"), limits, Latency::None, false);
    let mut client = Client::new(&served.socket(), "disk", false);
    for _ in 0..1000 {
        let mut refused = UnixStream::connect(served.socket()).unwrap();
        assert_eq!(refused.read(&mut [0; 18]).unwrap_or(0), 0);
    }
    assert_eq!(client.bytes(0, 1), [0]);
    drop(client);
    served.stop();
    let log = served.said();
    let (told, left_out) = (log.lines().count(), "more lines on connections are left out");
    assert!(told < 200 && log.contains(left_out), "{told} lines: {log}");
}
