//! ftlkit's own format: a header names the columns and their units.
//!
//! `trace convert` writes it, and every field of a request survives.

use crate::formats::fields::{Bad, Fields, shortened};
use crate::formats::format::{Format, FormatInfo, Parsed, Setup, request};
use crate::formats::records::{Lines, reads};
use crate::formats::writing::{Writer, Writing, line};
use crate::request::{Op, Request};

pub(super) static INFO: FormatInfo = FormatInfo {
    name: "csv",
    summary: "ftlkit's own table, which `trace convert` writes",
    fields: COLUMNS,
    units: "as the header names them: times in ns, us, ms or s, addresses in bytes or sectors",
    detection: "by its header",
    looks: |head| head.first_line_is(|line| columns(line).is_ok()),
    sample: b"arrival_ns,op,offset_bytes,length_bytes\n5,read,0,512\n9,write,512,512\n",
    writing: Some(&Writing {
        holds: "everything",
        limits: None,
        start: || Box::new(Table::default()),
    }),
    ..reads::<Csv>()
};

const COLUMNS: &str = "in any order, named by the header: op (read, write, trim, flush, write-zeroes; of zones append, open, close, finish), \
                       offset_bytes|sectors, length_bytes|sectors; if wanted arrival_ns|us|ms|s, device, fua \
                       (0 or 1), response_ns|us|ms|s, stream (0 to 255; 0 or empty: none), connection (not used)";

/// Writes every field of a request.
#[derive(Default)]
struct Table {
    arrivals: bool,
}

impl Writer for Table {
    fn begin(&mut self, text: &mut Vec<u8>, arrivals: bool) {
        self.arrivals = arrivals;
        let first = if arrivals { "arrival_ns," } else { "" };
        line(
            text,
            format_args!("{first}device,op,fua,offset_bytes,length_bytes,response_ns,stream"),
        );
    }

    fn add(&mut self, text: &mut Vec<u8>, r: &Request, _: &dyn Fn(u32) -> String) {
        if self.arrivals {
            number(text, r.arrival_ns);
            text.push(b',');
        }
        number(text, u64::from(r.device));
        text.push(b',');
        text.extend_from_slice(r.op.name().as_bytes());
        text.extend_from_slice(if r.fua { b",1," } else { b",0," });
        number(text, r.offset);
        text.push(b',');
        number(text, r.length);
        text.push(b',');
        if let Some(response) = r.response_ns {
            number(text, response);
        }
        text.push(b',');
        number(text, u64::from(r.stream));
        text.push(b'\n');
    }
}

/// Appends a number; faster than formatting.
fn number(text: &mut Vec<u8>, mut value: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    text.extend_from_slice(&digits[at..]);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    /// The value is the power of ten from its unit to ns.
    Arrival(u32),
    Device,
    Op,
    Fua,
    /// The value is its unit in bytes.
    Offset(u64),
    /// The value is its unit in bytes.
    Length(u64),
    /// The value is the power of ten from its unit to ns.
    Response(u32),
    /// The connection of a recorded request: a number that no run depends on.
    Connection,
    Stream,
}

impl Column {
    fn named(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"arrival_ns" => Self::Arrival(0),
            b"arrival_us" => Self::Arrival(3),
            b"arrival_ms" => Self::Arrival(6),
            b"arrival_s" => Self::Arrival(9),
            b"device" => Self::Device,
            b"op" => Self::Op,
            b"fua" => Self::Fua,
            b"offset_bytes" => Self::Offset(1),
            b"offset_sectors" => Self::Offset(512),
            b"length_bytes" => Self::Length(1),
            b"length_sectors" => Self::Length(512),
            b"response_ns" => Self::Response(0),
            b"response_us" => Self::Response(3),
            b"response_ms" => Self::Response(6),
            b"response_s" => Self::Response(9),
            b"connection" => Self::Connection,
            b"stream" => Self::Stream,
            _ => return None,
        })
    }
}

/// Parses the columns of a header.
fn columns(header: &[u8]) -> Result<Vec<Column>, String> {
    let mut columns: Vec<Column> = Vec::new();
    for name in header.split(|&b| b == b',') {
        let name = name.trim_ascii();
        let column = Column::named(name).ok_or_else(|| {
            format!("no column is called `{}`; the columns are {COLUMNS}", shortened(name))
        })?;
        let same = |c: &Column| std::mem::discriminant(c) == std::mem::discriminant(&column);
        if columns.iter().any(same) {
            return Err(format!("the column `{}` is there twice", shortened(name)));
        }
        columns.push(column);
    }
    let has = |test: fn(&Column) -> bool| columns.iter().any(test);
    if has(|c| matches!(c, Column::Op))
        && has(|c| matches!(c, Column::Offset(_)))
        && has(|c| matches!(c, Column::Length(_)))
    {
        return Ok(columns);
    }
    Err("the header must name op, offset_bytes and length_bytes (or _sectors)".into())
}

#[derive(Default)]
struct Csv {
    columns: Vec<Column>,
    header_read: bool,
    arrivals: bool,
}

impl Format for Csv {
    type Units = Lines;

    fn prepare(&mut self, setup: &Setup<'_>) -> Result<(), String> {
        let header = setup.head.lines.first().ok_or("a csv trace begins with a header")?;
        self.columns = columns(header)?;
        self.arrivals = self.columns.iter().any(|c| matches!(c, Column::Arrival(_)));
        Ok(())
    }

    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Bad> {
        if !self.header_read {
            self.header_read = true;
            return Ok(Parsed::Aside);
        }
        let mut f = Fields::<b','>::new(line);
        let mut r = request(0, Op::Read, 0, 0, 0);
        for &column in &self.columns {
            field(&mut f, column, &mut r)?;
        }
        f.extent(r.offset, r.length)?;
        if r.op == Op::Flush && r.length > 0 {
            return Err(f.bad("a flush with length 0"));
        }
        f.end()?;
        Ok(Parsed::Request(r))
    }

    fn has_arrivals(&self) -> bool {
        self.arrivals
    }
}

#[inline]
fn field(f: &mut Fields<'_, b','>, column: Column, r: &mut Request) -> Result<(), Bad> {
    match column {
        Column::Arrival(0) => r.arrival_ns = f.uint("arrival in ns")?,
        Column::Arrival(places) => r.arrival_ns = f.decimal("arrival", places)?,
        Column::Device => r.device = f.uint32("device")?,
        Column::Op => r.op = op(f)?,
        Column::Fua => {
            r.fua = match f.uint("fua")? {
                0 => false,
                1 => true,
                _ => return Err(f.bad("fua, 0 or 1")),
            }
        }
        Column::Offset(unit) => r.offset = f.scaled("offset", unit)?,
        Column::Length(unit) => r.length = f.scaled("length", unit)?,
        Column::Response(places) => {
            r.response_ns = if f.is_empty("response")? {
                None
            } else {
                Some(f.decimal_here("response", places)?)
            };
        }
        Column::Connection => drop(f.uint("connection")?),
        Column::Stream => {
            r.stream = if f.is_empty("stream")? {
                0
            } else {
                u8::try_from(f.uint_here("stream")?).map_err(|_| f.bad("a stream, 0 to 255"))?
            };
        }
    }
    Ok(())
}

#[inline]
fn op(f: &mut Fields<'_, b','>) -> Result<Op, Bad> {
    Ok(match f.text("op")? {
        b"read" => Op::Read,
        b"write" => Op::Write,
        b"trim" => Op::Trim,
        b"flush" => Op::Flush,
        b"write-zeroes" => Op::WriteZeroes,
        b"append" => Op::Append,
        b"open" => Op::Open,
        b"close" => Op::Close,
        b"finish" => Op::Finish,
        _ => {
            return Err(f.bad(
                "an op: read, write, trim, flush, write-zeroes, append, open, close or finish",
            ));
        }
    })
}
