//! Tables whose header names the columns, and their units where these are not the usual ones.
//!
//! `trace convert` writes one as such, and every field of a request survives. Tables of others are read by what their
//! columns are usually called: see [`Name`].

use std::borrow::Cow;

use memchr::{memchr, memchr_iter};

use crate::formats::fields::{Bad, Fields, shortened};
use crate::formats::format::{Format, FormatInfo, Parsed, Setup, request};
use crate::formats::head::{Head, Looks};
use crate::formats::names::Names;
use crate::formats::records::{Lines, reads, share};
use crate::formats::writing::{Writer, Writing, line};
use crate::options::{TimeUnit, TraceOptions, Unit};
use crate::request::{Op, Request};

pub(super) static INFO: FormatInfo = FormatInfo {
    name: "csv",
    summary: "table with a header; `trace convert` writes one of ftlkit's own",
    fields: COLUMNS,
    units: "as the header names them: times in ns, us, ms or s, addresses in bytes or sectors",
    detection: "by its header",
    units_by_header: true,
    looks,
    sample: b"arrival_ns,op,offset_bytes,length_bytes\n5,read,0,512\n9,write,512,512\n",
    writing: Some(&Writing {
        holds: "everything",
        limits: None,
        start: || Box::new(Written::default()),
    }),
    ..reads::<Csv>()
};

const COLUMNS: &str = "in any order, named by the header, whatever their case: op (read, write, trim, flush, write-zeroes, \
                       write-zeroes-deallocate; of zones append, open, close, finish; r, w, t, f; 0 a read and 1 a write) or is_write, \
                       offset_bytes|sectors, length_bytes|sectors; if wanted arrival_ns|us|ms|s, device, fua \
                       (0 or 1), response_ns|us|ms|s, stream (0 to 255; 0 or empty: none), connection, no_hole, \
                       fast_zero (not used); also \
                       time, timestamp, type, rw, lba, sector, address, len, size, disk, volume and the like, and latency with its unit, as latency_us. \
                       Commas, semicolons, tabs or blanks are between them, and values may be in quotes; other columns are not used";

/// Writes every field of a request.
#[derive(Default)]
struct Written {
    arrivals: bool,
}

impl Writer for Written {
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
    /// Devices that have names instead of numbers.
    DeviceName,
    Op,
    /// The value is the operation of 1; 0 is the other of read and write.
    Is(Op),
    Fua,
    /// The value is its unit in bytes.
    Offset(u64),
    /// The value is its unit in bytes.
    Length(u64),
    /// The value is the power of ten from its unit to ns.
    Response(u32),
    /// The connection of a recorded request: a number that no run depends on.
    Connection,
    /// Flags of a recorded write of zeros that no run depends on: its operation says what the device did.
    NoHole,
    FastZero,
    Stream,
    /// Any content, which is not used.
    Unused,
}

impl Column {
    /// What of a request it tells.
    fn kind(&self) -> std::mem::Discriminant<Self> {
        std::mem::discriminant(match self {
            Self::Is(_) => &Self::Op,
            Self::DeviceName => &Self::Device,
            column => column,
        })
    }
}

/// The name of a column, taken apart.
struct Name {
    column: Column,
    /// The name without its unit.
    base: String,
    /// True if the name says its unit, or if the column has none.
    says_unit: bool,
}

impl Name {
    /// Lower case, one `_` for all between words, the unit at the end: `Time (ms)` is `time_ms`.
    fn of(name: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(name).to_lowercase();
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let whole = words.collect::<Vec<_>>().join("_");
        // `sector_count` is a name; the unit of `offset_sectors` is one.
        if let Some(column) = Self::column(&whole, None) {
            let says_unit =
                !matches!(column, Column::Arrival(_) | Column::Offset(_) | Column::Length(_));
            return Some(Self { column, base: whole, says_unit });
        }
        let (base, unit) = whole.rsplit_once('_')?;
        let column = Self::column(base, Some(unit))?;
        Some(Self { column, base: base.to_owned(), says_unit: true })
    }

    fn column(base: &str, unit: Option<&str>) -> Option<Column> {
        let bytes = |usual| match unit {
            None => Some(usual),
            Some("b" | "byte" | "bytes") => Some(1),
            Some("sector" | "sectors") => Some(512),
            Some("kib") => Some(1024),
            Some(_) => None,
        };
        let places = |usual| match unit {
            None => usual,
            Some("ns" | "nsec") => Some(0),
            Some("us" | "µs" | "μs" | "usec") => Some(3),
            Some("ms" | "msec") => Some(6),
            Some("s" | "sec" | "secs" | "seconds") => Some(9),
            Some(_) => None,
        };
        let plain = |column: Column| unit.is_none().then_some(column);
        match base {
            "arrival" | "arrival_time" | "time" | "timestamp" | "ts" | "start_time"
            | "submit_time" | "issue_time" => places(Some(9)).map(Column::Arrival),
            "offset" | "off" | "address" | "addr" | "position" | "pos" | "start_offset" => {
                bytes(1).map(Column::Offset)
            }
            "lba" | "sector" | "start_lba" | "start_sector" | "block" | "blkno" => {
                bytes(512).map(Column::Offset)
            }
            "length" | "len" | "size" | "bytes" | "nbytes" | "num_bytes" | "nr_bytes"
            | "byte_count" | "io_size" | "request_size" | "req_size" | "transfer_size" => {
                bytes(1).map(Column::Length)
            }
            "sectors" | "nsectors" | "num_sectors" | "nr_sectors" | "sector_count" | "blocks"
            | "num_blocks" | "nr_blocks" | "block_count" => bytes(512).map(Column::Length),
            "op" | "operation" | "opcode" | "type" | "iotype" | "io_type" | "op_type"
            | "req_type" | "request_type" | "rw" | "r_w" | "cmd" | "command" => plain(Column::Op),
            "is_write" => plain(Column::Is(Op::Write)),
            "is_read" => plain(Column::Is(Op::Read)),
            "device" | "dev" | "disk" | "volume" | "vol" | "lun" | "asu" | "device_id"
            | "disk_id" | "volume_id" | "disk_number" | "disknumber" => plain(Column::Device),
            "fua" => plain(Column::Fua),
            // Without a unit it is not used.
            "response" | "response_time" | "latency" | "lat" => places(None).map(Column::Response),
            "connection" => plain(Column::Connection),
            "no_hole" => plain(Column::NoHole),
            "fast_zero" => plain(Column::FastZero),
            "stream" | "stream_id" => plain(Column::Stream),
            _ => None,
        }
    }
}

/// The names that `trace convert` and `serve --record` write, and their units.
const OWN: [&[u8]; 19] = [
    b"arrival_ns",
    b"arrival_us",
    b"arrival_ms",
    b"arrival_s",
    b"device",
    b"op",
    b"fua",
    b"offset_bytes",
    b"offset_sectors",
    b"length_bytes",
    b"length_sectors",
    b"response_ns",
    b"response_us",
    b"response_ms",
    b"response_s",
    b"connection",
    b"no_hole",
    b"fast_zero",
    b"stream",
];

/// What is between the columns of a header, outside of quotes.
fn separator(header: &[u8]) -> u8 {
    let outside: Vec<u8> = header.split(|&b| b == b'"').step_by(2).flatten().copied().collect();
    b",;\t".iter().copied().find(|sep| outside.contains(sep)).unwrap_or(b' ')
}

/// Appends a line without the quotes around its values; separators within become `_`, and two quotes one.
fn unquote(line: &[u8], separator: u8, to: &mut Vec<u8>) {
    let separates = |b: u8| b == separator || (separator == b' ' && b == b'\t');
    let (mut quoted, mut begins, mut at) = (false, true, 0);
    while let Some(&b) = line.get(at) {
        at += 1;
        match b {
            b'"' if quoted && line.get(at) == Some(&b'"') => {
                to.push(b);
                at += 1;
            }
            b'"' if quoted || begins => {
                quoted = !quoted;
                // Between blanks an empty value would be none.
                if separator == b' ' && quoted && line.get(at) == Some(&b'"') {
                    to.push(b'_');
                }
            }
            _ if quoted && separates(b) => to.push(b'_'),
            _ => to.push(b),
        }
        begins = !quoted && (separates(b) || (begins && b == b' '));
    }
}

/// The line as it is without quotes.
fn unquoted(line: &[u8], separator: u8) -> Cow<'_, [u8]> {
    if !line.contains(&b'"') {
        return Cow::Borrowed(line);
    }
    let mut plain = Vec::new();
    unquote(line, separator, &mut plain);
    Cow::Owned(plain)
}

fn cells(line: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    let is = move |b: &u8| *b == separator || (separator == b' ' && *b == b'\t');
    line.split(is).map(<[u8]>::trim_ascii).filter(move |cell| separator != b' ' || !cell.is_empty())
}

fn looks(head: &Head<'_>) -> Looks {
    let Some(header) = head.lines.first() else { return Looks::No };
    let own = separator(header) == b',' && cells(header, b',').all(|name| OWN.contains(&name));
    match Table::of(header, &[], &TraceOptions::default()) {
        Ok(_) if own => Looks::Sure,
        // Other formats have headers, too.
        Ok(_) => share::<Csv>(head),
        Err(_) => Looks::No,
    }
}

/// Why a file whose first line is the header of a table is not read: its header, or its first bad row.
///
/// `None` without such a header: less than three of its columns are known, whatever their units.
pub(crate) fn refused(head: &Head<'_>) -> Option<String> {
    let (header, rows) = head.lines.split_first()?;
    let separator = separator(header);
    let known = |cell: &&[u8]| Name::of(cell).is_some() || unit_not_read(cell);
    if cells(&unquoted(header, separator), separator).filter(known).count() < 3 {
        return None;
    }
    let (mut csv, options) = (Csv::default(), TraceOptions::default());
    if let Err(why) = csv.prepare(&Setup { head, others: &[], options: &options }) {
        return Some(why);
    }
    csv.header_read = true;
    let (row, bad) = rows.iter().find_map(|row| Some((row, csv.parse(row).err()?)))?;
    let before = &head.bytes[..row.as_ptr() as usize - head.bytes.as_ptr() as usize];
    Some(format!(
        "line {}, column {}: expected {}, found `{}`",
        1 + memchr_iter(b'\n', before).count(),
        bad.column,
        bad.expected,
        bad.found
    ))
}

/// True for the name of a column with a unit that is not read.
fn unit_not_read(name: &[u8]) -> bool {
    let text = String::from_utf8_lossy(name).to_lowercase();
    let base = text.rsplit_once('_').map(|(base, _)| base);
    Name::of(name).is_none() && base.is_some_and(|base| Name::column(base, None).is_some())
}

/// The columns of a table.
#[derive(Default)]
struct Table {
    separator: u8,
    columns: Vec<Column>,
    notes: Vec<String>,
    /// Bytes of the units of addresses and of lengths that the header does not name.
    assumed: (Option<u64>, Option<u64>),
}

impl Table {
    /// Parses a header; the first lines below it settle what it leaves open.
    fn of(header: &[u8], below: &[&[u8]], options: &TraceOptions) -> Result<Self, String> {
        let separator = separator(header);
        let header = &unquoted(header, separator)[..];
        let below: Vec<_> = below.iter().map(|line| unquoted(line, separator)).collect();
        let below = |at: usize| below.iter().filter_map(move |line| cells(line, separator).nth(at));
        let mut table = Self { separator, ..Self::default() };
        let (mut unused, mut bases) = (Vec::new(), Vec::new());
        for (at, text) in cells(header, separator).enumerate() {
            let shown = shortened(text);
            let Some(mut name) = Name::of(text) else {
                table.columns.push(Column::Unused);
                unused.push(format!("`{shown}`"));
                continue;
            };
            if bases.contains(&name.base) {
                return Err(format!("the column `{shown}` is there twice"));
            }
            if table.columns.iter().any(|column| column.kind() == name.column.kind()) {
                table.columns.push(Column::Unused);
                unused.push(format!("`{shown}`"));
                continue;
            }
            let (says, unit) = (name.says_unit, &mut name.column);
            match unit {
                Column::Arrival(places) if !says && options.time_unit.is_some() => {
                    *places = options.time_unit.map_or(9, TimeUnit::places);
                }
                Column::Arrival(_) if options.time_unit.is_some() => {
                    return Err(format!(
                        "a unit of times (--time-unit) is set where the header names none, and it names `{shown}`"
                    ));
                }
                Column::Arrival(places) if !says => {
                    let word;
                    (*places, word) = usual_time(below(at));
                    table.notes.push(format!(
                        "`{shown}` names no unit: its times were taken as {word}; --time-unit sets another"
                    ));
                }
                Column::Offset(unit) => {
                    table.notes.extend(place(unit, options.lba_unit, says, "--lba-unit", &shown)?);
                    table.assumed.0 = (!says).then_some(*unit);
                }
                Column::Length(unit) => {
                    table.assumed.1 = (!says).then_some(*unit);
                    table.notes.extend(place(
                        unit,
                        options.size_unit,
                        says,
                        "--size-unit",
                        &shown,
                    )?);
                }
                Column::Device
                    if below(at).next().is_some_and(|d| !d.iter().all(u8::is_ascii_digit)) =>
                {
                    *unit = Column::DeviceName;
                }
                _ => {}
            }
            bases.push(name.base);
            table.columns.push(name.column);
        }
        if !unused.is_empty() {
            let (columns, are) =
                if unused.len() == 1 { ("column", "is") } else { ("columns", "are") };
            table.notes.push(format!("{columns} {} {are} not used", unused.join(", ")));
        }
        let has = |test: fn(&Column) -> bool| table.columns.iter().any(test);
        if options.time_unit.is_some() && !has(|c| matches!(c, Column::Arrival(_))) {
            return Err("a unit of times (--time-unit) is set, and the header names no time".into());
        }
        let lacking: Vec<&str> = [
            (has(|c| matches!(c, Column::Op | Column::Is(_))), "op"),
            (has(|c| matches!(c, Column::Offset(_))), "offset_bytes (or _sectors)"),
            (has(|c| matches!(c, Column::Length(_))), "length_bytes (or _sectors)"),
        ]
        .into_iter()
        .filter_map(|(has, name)| (!has).then_some(name))
        .collect();
        if lacking.is_empty() {
            return Ok(table);
        }
        let lacking = lacking.join(" and no ");
        let unread = cells(header, separator).find(|name| unit_not_read(name));
        Err(match unread.map(shortened) {
            Some(name) => format!(
                "the header names no {lacking}: `{name}` has no unit that is read, which are bytes, sectors and kib, and of \
                 times ns, us, ms and s"
            ),
            None => format!("the header names no {lacking}: the columns are {COLUMNS}"),
        })
    }
}

/// The unit of places: that of the name, the one asked for, or the usual one, which is told.
fn place(
    unit: &mut u64,
    asked: Option<Unit>,
    says_unit: bool,
    option: &str,
    shown: &str,
) -> Result<Option<String>, String> {
    match (says_unit, asked) {
        (true, None) => Ok(None),
        (true, Some(_)) => Err(format!(
            "units (--lba-unit, --size-unit) are set where a header names none; the csv format says them itself: `{shown}`"
        )),
        (false, Some(asked)) => {
            *unit = asked.bytes();
            Ok(None)
        }
        (false, None) => {
            let word = if *unit == 1 { "bytes" } else { "sectors of 512 bytes" };
            Ok(Some(format!("`{shown}` names no unit: taken as {word}; {option} sets another")))
        }
    }
}

/// The power of ten to ns of times without a unit, and its name: s, unless all are as large as a date in a smaller unit.
fn usual_time<'a>(cells: impl Iterator<Item = &'a [u8]>) -> (u32, &'static str) {
    let digits = |cell: &[u8]| cell.iter().take_while(|b| b.is_ascii_digit()).count();
    match cells.map(digits).min().unwrap_or(0) {
        19.. => (0, "ns"),
        // As MSR's: a date of our time has 18 digits.
        18 => (2, "ticks of 100 ns"),
        16.. => (3, "µs"),
        13.. => (6, "ms"),
        _ => (9, "s"),
    }
}

#[derive(Default)]
struct Csv {
    table: Table,
    header_read: bool,
    arrivals: bool,
    devices: Names,
    /// True if an operation was a number.
    numbered: bool,
    /// A line without its quotes.
    plain: Vec<u8>,
}

impl Csv {
    #[inline]
    fn line(&mut self, line: &[u8]) -> Result<Parsed, Bad> {
        match self.table.separator {
            b',' => self.row::<b','>(line),
            b';' => self.row::<b';'>(line),
            b'\t' => self.row::<b'\t'>(line),
            _ => self.row::<b' '>(line),
        }
    }

    #[inline]
    fn row<const SEP: u8>(&mut self, line: &[u8]) -> Result<Parsed, Bad> {
        let mut f = Fields::<SEP>::new(line);
        let mut r = request(0, Op::Read, 0, 0, 0);
        for &column in &self.table.columns {
            field(&mut f, column, &mut r, &mut self.devices, &mut self.numbered)?;
        }
        f.extent(r.offset, r.length)?;
        if r.op == Op::Flush && r.length > 0 {
            return Err(f.bad("a flush with length 0"));
        }
        f.end()?;
        Ok(Parsed::Request(r))
    }
}

impl Format for Csv {
    type Units = Lines;

    fn prepare(&mut self, setup: &Setup<'_>) -> Result<(), String> {
        let none = || match memchr(0, setup.head.bytes) {
            Some(_) => {
                "a csv trace begins with a header: its first line has a byte 0, or is no text"
            }
            None => "a csv trace begins with a header",
        };
        let (header, below) = setup.head.lines.split_first().ok_or_else(none)?;
        self.table = Table::of(header, below, setup.options)?;
        self.arrivals = self.table.columns.iter().any(|c| matches!(c, Column::Arrival(_)));
        Ok(())
    }

    #[inline]
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Bad> {
        if !self.header_read {
            self.header_read = true;
            return Ok(Parsed::Aside);
        }
        if memchr(b'"', line).is_none() {
            return self.line(line);
        }
        let mut plain = std::mem::take(&mut self.plain);
        plain.clear();
        unquote(line, self.table.separator, &mut plain);
        let parsed = self.line(&plain);
        self.plain = plain;
        parsed
    }

    fn arrival_at(&self, line: &[u8]) -> Option<usize> {
        let column = self.table.columns.iter().position(|c| matches!(c, Column::Arrival(_)))?;
        // In a line with quotes places are others.
        let cell = cells(line, self.table.separator).nth(column)?;
        memchr(b'"', line).is_none().then(|| cell.as_ptr() as usize - line.as_ptr() as usize)
    }

    fn assumed_units(&self) -> (Option<u64>, Option<u64>) {
        self.table.assumed
    }

    fn has_devices(&self) -> bool {
        let is = |c: &Column| matches!(c, Column::Device | Column::DeviceName);
        self.table.columns.iter().any(is)
    }

    fn has_arrivals(&self) -> bool {
        self.arrivals
    }

    fn notes(&self) -> Vec<String> {
        let numbered =
            self.numbered.then(|| "operation 0 was taken as a read, 1 as a write".to_owned());
        self.table.notes.iter().cloned().chain(numbered).collect()
    }

    fn device_name(&self, device: u32) -> Option<String> {
        self.devices.name(device)
    }
}

#[inline]
fn field<const SEP: u8>(
    f: &mut Fields<'_, SEP>,
    column: Column,
    r: &mut Request,
    devices: &mut Names,
    numbered: &mut bool,
) -> Result<(), Bad> {
    match column {
        Column::Arrival(0) => r.arrival_ns = f.uint("arrival in ns")?,
        Column::Arrival(places) => r.arrival_ns = f.decimal("arrival", places)?,
        Column::Device => r.device = f.uint32("device")?,
        Column::DeviceName => {
            let name = f.word("a device")?;
            r.device = devices.number(name).ok_or_else(|| f.bad("one of at most 65536 devices"))?;
        }
        Column::Op => r.op = op(f, numbered)?,
        Column::Is(of_one) => {
            r.op = match (f.text("0 or 1")?, of_one) {
                (b"1" | b"true" | b"True" | b"TRUE", _) => of_one,
                (b"0" | b"false" | b"False" | b"FALSE", Op::Write) => Op::Read,
                (b"0" | b"false" | b"False" | b"FALSE", _) => Op::Write,
                _ => return Err(f.bad("0 or 1")),
            }
        }
        Column::Unused => drop(f.text("a column that is not used")?),
        Column::Fua => r.fua = flag(f, "fua, 0 or 1")?,
        Column::NoHole => drop(flag(f, "no_hole, 0 or 1")?),
        Column::FastZero => drop(flag(f, "fast_zero, 0 or 1")?),
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
fn flag<const SEP: u8>(f: &mut Fields<'_, SEP>, what: &str) -> Result<bool, Bad> {
    match f.uint(what)? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(f.bad(what)),
    }
}

#[inline]
fn op<const SEP: u8>(f: &mut Fields<'_, SEP>, numbered: &mut bool) -> Result<Op, Bad> {
    Ok(match f.text("op")? {
        b"read" => Op::Read,
        b"write" => Op::Write,
        b"trim" => Op::Trim,
        b"flush" => Op::Flush,
        b"write-zeroes" => Op::WriteZeroes,
        b"write-zeroes-deallocate" => Op::DeallocateZeroes,
        b"append" => Op::Append,
        b"open" => Op::Open,
        b"close" => Op::Close,
        b"finish" => Op::Finish,
        other => {
            *numbered |= matches!(other, b"0" | b"1");
            let word = match other.len() {
                ..=23 => other.to_ascii_lowercase(),
                _ => Vec::new(),
            };
            match &word[..] {
                b"r" | b"rd" | b"read" | b"0" => Op::Read,
                b"w" | b"wr" | b"write" | b"1" => Op::Write,
                b"t" | b"d" | b"trim" | b"discard" | b"unmap" | b"deallocate" => Op::Trim,
                b"f" | b"flush" | b"sync" | b"fsync" => Op::Flush,
                b"wz" | b"write-zeroes" | b"write_zeroes" | b"writezeroes" | b"write-zeros" => {
                    Op::WriteZeroes
                }
                b"write-zeroes-deallocate" | b"write_zeroes_deallocate" => Op::DeallocateZeroes,
                b"append" | b"zone-append" => Op::Append,
                b"open" => Op::Open,
                b"close" => Op::Close,
                b"finish" => Op::Finish,
                _ => {
                    return Err(f.bad(
                        "an op: read, write, trim, flush, write-zeroes, write-zeroes-deallocate, append, open, close or finish",
                    ));
                }
            }
        }
    })
}
