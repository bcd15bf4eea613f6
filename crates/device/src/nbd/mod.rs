//! The Network Block Device protocol: a server for fixed newstyle clients (the NBD project's `doc/proto.md`).
//!
//! - `wire`: numbers and records, as pure functions of bytes;
//! - `export`: what clients open;
//! - `handshake`: options, as a pure state machine: bytes in, bytes out;
//! - `tls`: encryption of a TCP connection (feature `tls`);
//! - `session`: one connection: its requests, by a thread that reads them;
//! - `outbox`: its replies;
//! - `rarely`: lines of the log that clients could make many of;
//! - `server`: listeners, limits, shutdown. The device itself is worked by the thread that calls [`serve`].

mod budget;
mod export;
mod handshake;
mod outbox;
mod rarely;
mod server;
mod session;
mod stream;
#[cfg(feature = "tls")]
mod tls;
#[cfg(not(feature = "tls"))]
#[path = "no_tls.rs"]
mod tls;
mod wire;

pub use export::{Export, Session};
pub use handshake::{Encryption, Handshake, Step};
pub use outbox::{Reply, ReplyTo};
pub use server::{Listener, Server, Stop, serve};
pub use session::{Job, Limits};
pub use tls::{Tls, TlsError};
pub use wire::{Admitted, Command, MAX_REQUEST_BYTES, NbdError, Request, admit};
