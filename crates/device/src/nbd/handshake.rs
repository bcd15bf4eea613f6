//! The handshake: a state machine that takes the bytes of an option and gives those of the reply.

use super::export::{Export, Session};
use super::wire::{MAX_REQUEST_BYTES, be16, be32, be64};
use std::sync::Arc;

/// What follows an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Send this, then wait for the next option.
    Reply(Vec<u8>),
    /// Send this; requests follow.
    Start(Vec<u8>, Session),
    /// Send this, then shake hands for TLS, and wait for the next option.
    Encrypt(Vec<u8>),
    /// Send this, then close the connection.
    End(Vec<u8>),
}

/// Encryption of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encryption {
    /// The server has no TLS here.
    #[default]
    Absent,
    /// The client may ask for it.
    Offered,
    /// The client must ask for it before anything else.
    Required,
    /// It is there.
    Running,
}

const OPTION_MAGIC: u64 = 0x4948_4156_454f_5054;
const REPLY_MAGIC: u64 = 0x0003_e889_0455_65a9;
/// Bytes of the server's greeting and of the head of an option.
pub(super) const OPTION_BYTES: usize = 16;
/// Longest option that is read.
pub(super) const MOST_OPTION_BYTES: u32 = 64 << 10;
/// Longest name of an export by the protocol.
const MOST_NAME_BYTES: usize = 4096;

/// Types of replies.
const ACK: u32 = 1;
const SERVER: u32 = 2;
const INFO: u32 = 3;
const META_CONTEXT: u32 = 4;
const ERR_UNSUP: u32 = 1 << 31 | 1;
const ERR_POLICY: u32 = 1 << 31 | 2;
const ERR_INVALID: u32 = 1 << 31 | 3;
const ERR_TLS_REQD: u32 = 1 << 31 | 5;
const ERR_UNKNOWN: u32 = 1 << 31 | 6;
const ERR_TOO_BIG: u32 = 1 << 31 | 9;

const ALLOCATION: &str = "base:allocation";

/// State of a handshake.
#[derive(Clone, Debug)]
pub struct Handshake {
    exports: Arc<[Export]>,
    /// True if the client wants no zeros behind the reply to its oldest option.
    no_zeroes: bool,
    structured: bool,
    encryption: Encryption,
    /// The export for which `base:allocation` was chosen.
    allocation: Option<usize>,
}

/// Reads fields one after the other; `None` behind the end.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn take(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(head)
    }

    fn number(&mut self) -> Option<u32> {
        self.take(4).map(|bytes| be32(bytes, 0))
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = self.number()? as usize;
        let bytes = self.take(length).filter(|_| length <= MOST_NAME_BYTES)?;
        std::str::from_utf8(bytes).ok()
    }
}

fn reply(out: &mut Vec<u8>, option: u32, kind: u32, data: &[u8]) {
    out.extend_from_slice(&REPLY_MAGIC.to_be_bytes());
    out.extend_from_slice(&option.to_be_bytes());
    out.extend_from_slice(&kind.to_be_bytes());
    out.extend_from_slice(&(data.len() as u32).to_be_bytes());
    out.extend_from_slice(data);
}

fn only(option: u32, kind: u32, data: &[u8]) -> Step {
    let mut out = Vec::new();
    reply(&mut out, option, kind, data);
    Step::Reply(out)
}

/// The server's first bytes: fixed newstyle, and no zeros if the client agrees.
pub(super) fn greeting() -> Vec<u8> {
    [&b"NBDMAGIC"[..], &OPTION_MAGIC.to_be_bytes(), &3_u16.to_be_bytes()].concat()
}

/// Option and length of the head of an option; `None` without the magic number.
pub(super) fn option_head(bytes: &[u8; OPTION_BYTES]) -> Option<(u32, u32)> {
    (be64(bytes, 0) == OPTION_MAGIC).then(|| (be32(bytes, 8), be32(bytes, 12)))
}

/// The answer to an option that is too long to be read.
pub(super) fn too_big(option: u32) -> Vec<u8> {
    let mut out = Vec::new();
    reply(&mut out, option, ERR_TOO_BIG, b"");
    out
}

impl Handshake {
    /// Begins after the client's flags, which are the number; `None` if they are not those of a fixed newstyle client.
    pub fn new(exports: Arc<[Export]>, client_flags: u32) -> Option<Self> {
        let fixed = client_flags & 1 != 0 && client_flags & !3 == 0;
        let no_zeroes = client_flags & 2 != 0;
        fixed.then_some(Self {
            exports,
            no_zeroes,
            structured: false,
            encryption: Encryption::default(),
            allocation: None,
        })
    }

    /// The same with encryption; default: absent.
    pub fn encrypted(self, encryption: Encryption) -> Self {
        Self { encryption, ..self }
    }

    /// Answers an option.
    pub fn option(&mut self, option: u32, data: &[u8]) -> Step {
        let refused = self.encryption == Encryption::Required && !matches!(option, 2 | 5);
        match option {
            1 if refused => Step::End(Vec::new()),
            _ if refused => only(option, ERR_TLS_REQD, b"this server requires TLS"),
            1 => self.export_name(data),
            2 => {
                let mut out = Vec::new();
                reply(&mut out, option, ACK, b"");
                Step::End(out)
            }
            3 if data.is_empty() => self.list(),
            5 if data.is_empty() => self.start_tls(),
            6 | 7 => self.go(option, data),
            8 if data.is_empty() => {
                self.structured = true;
                only(option, ACK, b"")
            }
            9 | 10 => self.contexts(option, data),
            3 | 5 | 8 => only(option, ERR_INVALID, b"this option has no data"),
            _ => only(option, ERR_UNSUP, b""),
        }
    }

    /// TLS. What was agreed on in plain text is forgotten: somebody else may have said it.
    fn start_tls(&mut self) -> Step {
        match self.encryption {
            Encryption::Absent => return only(5, ERR_POLICY, b"this server has no TLS here"),
            Encryption::Running => return only(5, ERR_INVALID, b"TLS is there already"),
            Encryption::Offered | Encryption::Required => {}
        }
        (self.structured, self.allocation) = (false, None);
        self.encryption = Encryption::Running;
        let mut out = Vec::new();
        reply(&mut out, 5, ACK, b"");
        Step::Encrypt(out)
    }

    fn find(&self, name: &str) -> Option<usize> {
        if name.is_empty() {
            return (!self.exports.is_empty()).then_some(0);
        }
        self.exports.iter().position(|export| export.name == name)
    }

    fn session(&self, export: usize) -> Session {
        let allocation = self.structured && self.allocation == Some(export);
        Session { export, structured: self.structured, allocation }
    }

    /// The oldest way to open an export: it has no reply but the export's data, or the end.
    fn export_name(&self, data: &[u8]) -> Step {
        let Some(at) = std::str::from_utf8(data).ok().and_then(|name| self.find(name)) else {
            return Step::End(Vec::new());
        };
        let export = &self.exports[at];
        let zeros: &[u8] = if self.no_zeroes { &[] } else { &[0; 124] };
        let out = [&export.bytes.to_be_bytes()[..], &export.flags().to_be_bytes(), zeros].concat();
        Step::Start(out, self.session(at))
    }

    fn list(&self) -> Step {
        let mut out = Vec::new();
        for export in self.exports.iter() {
            let length = (export.name.len() as u32).to_be_bytes();
            reply(&mut out, 3, SERVER, &[&length[..], export.name.as_bytes()].concat());
        }
        reply(&mut out, 3, ACK, b"");
        Step::Reply(out)
    }

    fn go(&self, option: u32, data: &[u8]) -> Step {
        let mut fields = Fields(data);
        let asked = fields.text().and_then(|name| {
            let count = be16(fields.take(2)?, 0);
            let wanted = fields.take(usize::from(count) * 2)?;
            fields.0.is_empty().then_some((name, wanted))
        });
        let Some((name, wanted)) = asked else {
            return only(option, ERR_INVALID, b"the option's data does not add up");
        };
        let Some(at) = self.find(name) else {
            return only(option, ERR_UNKNOWN, b"there is no export of this name");
        };
        let export = &self.exports[at];
        let mut out = Vec::new();
        let head =
            [&0_u16.to_be_bytes()[..], &export.bytes.to_be_bytes(), &export.flags().to_be_bytes()];
        reply(&mut out, option, INFO, &head.concat());
        let wants = |kind: u16| wanted.chunks_exact(2).any(|bytes| be16(bytes, 0) == kind);
        if wants(1) {
            reply(&mut out, option, INFO, &[&[0, 1], export.name.as_bytes()].concat());
        }
        if wants(2) {
            reply(&mut out, option, INFO, &[&[0, 2], export.description.as_bytes()].concat());
        }
        // Any byte may be addressed; whole pages cost no read.
        let preferred = export.page_bytes.next_power_of_two().clamp(512, MAX_REQUEST_BYTES);
        let sizes = [1, preferred, MAX_REQUEST_BYTES].map(u32::to_be_bytes).concat();
        reply(&mut out, option, INFO, &[&[0, 3][..], &sizes].concat());
        reply(&mut out, option, ACK, b"");
        if option == 6 { Step::Reply(out) } else { Step::Start(out, self.session(at)) }
    }

    /// Metadata contexts: a list of them, or a choice, which replaces the one before.
    fn contexts(&mut self, option: u32, data: &[u8]) -> Step {
        let chooses = option == 10;
        if chooses {
            self.allocation = None;
        }
        if !self.structured {
            return only(option, ERR_INVALID, b"structured replies come first");
        }
        let mut fields = Fields(data);
        let asked = fields.text().and_then(|name| {
            let mut wanted = Vec::new();
            for _ in 0..fields.number()? {
                wanted.push(fields.text()?);
            }
            fields.0.is_empty().then_some((name, wanted))
        });
        let Some((name, wanted)) = asked else {
            return only(option, ERR_INVALID, b"the option's data does not add up");
        };
        let Some(at) = self.find(name) else {
            return only(option, ERR_UNKNOWN, b"there is no export of this name");
        };
        let lists = !chooses && (wanted.is_empty() || wanted.contains(&"base:"));
        let mut out = Vec::new();
        if lists || wanted.contains(&ALLOCATION) {
            let id = u32::from(chooses).to_be_bytes();
            reply(&mut out, option, META_CONTEXT, &[&id[..], ALLOCATION.as_bytes()].concat());
            if chooses {
                self.allocation = Some(at);
            }
        }
        reply(&mut out, option, ACK, b"");
        Step::Reply(out)
    }
}
