//! The Network Block Device protocol: a server for fixed newstyle clients (the NBD project's `doc/proto.md`).
//!
//! - `wire`: numbers and records, as pure functions of bytes;
//! - `export`: what clients open;
//! - `handshake`: options, as a pure state machine: bytes in, bytes out;
//! - `session`: one connection: threads that read requests and write replies;
//! - `server`: listeners, limits, shutdown. The device itself is worked by the thread that calls [`serve`].

mod budget;
mod export;
mod handshake;
mod server;
mod session;
mod stream;
mod wire;

pub use export::{Export, Session};
pub use handshake::{Handshake, Step};
pub use server::{Listener, Server, Stop, serve};
pub use session::{Job, Limits, Reply, ReplyTo};
pub use wire::{Admitted, Command, MAX_REQUEST_BYTES, NbdError, Request, admit};
