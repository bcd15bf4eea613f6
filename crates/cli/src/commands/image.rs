//! `ftlkit image`.

use crate::failure::Failure;
use crate::output;
use clap::{Args, Subcommand};
use device::image::{Durable, Image, ImageError, PageState, Repaired, Tally};
use flash::{BlockId, Flash, Lpn, PageKind, Ppn};
use lab::config::Bytes;
use serde::Serialize;
use serde_json::json;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use workload::escaped;

const EXAMPLES: &str = "\
Examples:
  ftlkit image info device.img
  ftlkit image check device.img
  ftlkit image repair device.img
  ftlkit image dump device.img --block 7";

const INFO_EXAMPLES: &str = "\
Examples:
  ftlkit image info device.img          geometry, part, scheme, how it was left
  ftlkit image info device.img --json";

const CHECK_EXAMPLES: &str = "\
Examples:
  ftlkit image check device.img         every record and the bytes of every page
  ftlkit image check device.img --json";

const REPAIR_EXAMPLES: &str = "\
Examples:
  ftlkit image repair device.img            what is damaged, and what a repair would lose; nothing is changed
  ftlkit image repair device.img --write    repairs it, so that `serve` starts from it";

const DUMP_EXAMPLES: &str = "\
Examples:
  ftlkit image dump device.img                  the pages of all blocks
  ftlkit image dump device.img --block 7        of one block
  ftlkit image dump device.img --page 450       the bytes of a page, in hexadecimal";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ImageArgs {
    #[command(subcommand)]
    command: ImageCommand,
}

#[derive(Debug, Subcommand)]
enum ImageCommand {
    /// Print what an image says of itself
    Info(InfoArgs),
    /// Check every record and page of an image, and list what is damaged
    Check(CheckArgs),
    /// Tell what a repair of a damaged image would lose, or do it
    Repair(RepairArgs),
    /// Print the OOBs of an image's pages, or the bytes of a page
    Dump(DumpArgs),
}

#[derive(Debug, Args)]
#[command(after_help = INFO_EXAMPLES)]
struct InfoArgs {
    /// Flash image
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = CHECK_EXAMPLES)]
struct CheckArgs {
    /// Flash image
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = REPAIR_EXAMPLES)]
struct RepairArgs {
    /// Flash image
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Do it: make a copy of the file before
    #[arg(long)]
    write: bool,

    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = DUMP_EXAMPLES)]
struct DumpArgs {
    /// Flash image
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Block to print [default: all]
    #[arg(long, value_name = "NUMBER")]
    block: Option<u32>,

    /// Page whose bytes to print, by its PPN
    #[arg(long, value_name = "PPN", conflicts_with = "block")]
    page: Option<u32>,
}

impl ImageArgs {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self.command {
            ImageCommand::Info(args) => args.run(),
            ImageCommand::Check(args) => args.run(),
            ImageCommand::Repair(args) => args.run(),
            ImageCommand::Dump(args) => args.run(),
        }
    }
}

fn open(file: &Path) -> Result<Image, Failure> {
    Image::inspect(file).map_err(refused)
}

/// Why an image is refused, with what can be done about it.
pub(super) fn refused(error: ImageError) -> Failure {
    let help = match &error {
        ImageError::InUse(_) => "end the process that uses it, then try again",
        ImageError::Header { .. } | ImageError::Length { .. } => REPAIR,
        _ => return Failure::input(error),
    };
    Failure::input_with_help(error, help)
}

const REPAIR: &str = "`ftlkit image repair` tells what can be mended";

/// What `info` prints.
#[derive(Debug, Serialize)]
struct Info {
    file: String,
    version: u32,
    part: String,
    blocks: u32,
    pages_per_block: u32,
    page_bytes: u32,
    capacity_bytes: u64,
    file_bytes: u64,
    allocated_bytes: u64,
    starts: u64,
    shut_down: bool,
    durable: &'static str,
    settings: std::collections::BTreeMap<String, String>,
}

impl Info {
    fn of(image: &Image) -> Result<Self, Failure> {
        let geometry = image.geometry();
        Ok(Self {
            file: image.path().display().to_string(),
            version: image.version(),
            part: image.part().name.to_string(),
            blocks: geometry.blocks(),
            pages_per_block: geometry.pages_per_block(),
            page_bytes: geometry.page_bytes(),
            capacity_bytes: geometry.capacity_bytes(),
            file_bytes: image.file_bytes(),
            allocated_bytes: image.allocated_bytes().map_err(Failure::internal)?,
            starts: image.starts().count,
            shut_down: image.starts().clean,
            durable: match image.durable() {
                Durable::Process => "process",
                Durable::Machine => "machine",
            },
            settings: image.description().settings.clone(),
        })
    }

    fn text(&self) -> String {
        let bytes = |bytes: u64| Bytes::new(bytes).rounded_down();
        let mut text = format!(
            "{}: flash image, version {}\n\
             array        {}, {} = {} blocks × {} pages × {}\n\
             file         {}, of which {} take room\n\
             starts       {}; {}\n\
             durable      {}\n",
            escaped(&self.file),
            self.version,
            escaped(&self.part),
            bytes(self.capacity_bytes),
            self.blocks,
            self.pages_per_block,
            bytes(self.page_bytes.into()),
            bytes(self.file_bytes),
            bytes(self.allocated_bytes),
            self.starts,
            if self.shut_down {
                "shut down"
            } else {
                "not shut down: the next start mounts it as after a power cut"
            },
            self.durable,
        );
        for (name, value) in &self.settings {
            let _ = writeln!(text, "{:12} {}", escaped(name), escaped(value));
        }
        text
    }
}

impl InfoArgs {
    fn run(self) -> Result<(), Failure> {
        let info = Info::of(&open(&self.file)?)?;
        if self.json { output::json(&info) } else { output::text(&info.text()) }
    }
}

impl CheckArgs {
    fn run(self) -> Result<(), Failure> {
        /// Faults in the JSON object; all are counted.
        const LISTED: usize = 1000;
        let mut image = Image::inspect(&self.file).map_err(|error| match error {
            // The file is an image, and it is damaged: as with all else that a check finds.
            ImageError::Header { .. } | ImageError::Length { .. } => {
                Failure::internal_with_help(error, REPAIR)
            }
            error => refused(error),
        })?;
        let mut faults = Vec::new();
        let mut out = io::stdout().lock();
        let mut written = Ok(());
        let tally = image.check(|finding| {
            if self.json {
                if faults.len() < LISTED {
                    faults.push(finding.to_string());
                }
            } else if written.is_ok() {
                written = writeln!(out, "{finding}");
            }
        });
        written?;
        drop(out);
        let tally = tally.map_err(Failure::internal)?;
        if self.json {
            let lost: Vec<u32> = image.lost_pages().iter().map(|lpn| lpn.0).collect();
            output::json(&json!({ "tally": tally, "faults": faults, "lost_pages": lost }))?;
        } else {
            output::text(&(summary(&tally) + &lost(&image.lost_pages())))?;
        }
        match tally.faults {
            0 => Ok(()),
            faults => {
                Err(Failure::internal(format!("`{}` has {faults} faults", self.file.display())))
            }
        }
    }
}

impl RepairArgs {
    fn run(self) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        let mut written = Ok(());
        let repaired = Image::repair(&self.file, self.write, |finding| {
            if !self.json && written.is_ok() {
                written = writeln!(out, "{finding}");
            }
        });
        written?;
        drop(out);
        let repaired = repaired.map_err(|error| match error {
            ImageError::InUse(_) => refused(error),
            error => Failure::input(error),
        })?;
        match self.json {
            true => output::json(&repaired),
            false => output::text(&repairs(&repaired, self.write)),
        }
    }
}

/// What a repair does, a line for each kind.
fn repairs(repaired: &Repaired, write: bool) -> String {
    let Repaired { head, length, copies, pages, unknown, blocks, unreadable, incomplete } =
        *repaired;
    let mut text = String::new();
    let mut line = |said: bool, what: String| {
        if said {
            let _ = writeln!(text, "{what}");
        }
    };
    line(head, "header       damaged: its copy replaces it".into());
    line(length, "length       wrong: pages beyond the end of the file cannot be read".into());
    line(
        copies > 0,
        format!(
            "copies       {copies} damaged: the other copy of each replaces it; nothing is lost"
        ),
    );
    line(
        pages > 0,
        format!(
            "lost pages   {pages}: nobody can tell what they held, and an older version or zeros may be read in their place"
        ),
    );
    line(
        unknown,
        "lost         an unknown number of pages: an older version or zeros may be read in their place".into(),
    );
    line(blocks > 0, format!("lost blocks  {blocks}: the same for all of their pages"));
    line(
        unreadable > 0,
        format!(
            "unreadable   {unreadable} pages: reads of them fail until they are written; a repair changes nothing there"
        ),
    );
    line(incomplete, "the rest is looked at when that is repaired".into());
    line(repaired.is_nothing(), "there is nothing to repair".into());
    line(!repaired.is_nothing() && !write, "nothing is changed: add --write to repair it".into());
    line(!repaired.is_nothing() && write, "repaired".into());
    text
}

/// Pages that a scheme lost: no fault of the file, or that of an earlier time.
fn lost(pages: &[Lpn]) -> String {
    if pages.is_empty() {
        return String::new();
    }
    let lpns: Vec<String> = pages.iter().map(|lpn| lpn.0.to_string()).collect();
    format!(
        "lost pages   {}: reads of them fail until they are written; LPN {}\n",
        pages.len(),
        lpns.join(", ")
    )
}

fn summary(tally: &Tally) -> String {
    let Tally {
        bad_blocks,
        slc_blocks,
        half_erased_blocks,
        erased_blocks,
        erases,
        most_erases,
        programmed_pages,
        unreadable_pages,
        faults,
    } = *tally;
    format!(
        "pages        {programmed_pages} programmed, {unreadable_pages} used up by programs or erases that were cut\n\
         blocks       {erased_blocks} erased, {bad_blocks} bad, {slc_blocks} in SLC mode, {half_erased_blocks} with an erase that was cut\n\
         erases       {erases}, at most {most_erases} per block\n\
         faults       {faults}\n"
    )
}

impl DumpArgs {
    fn run(self) -> Result<(), Failure> {
        let mut image = open(&self.file)?;
        if let Some(page) = self.page {
            return dump_page(&mut image, Ppn(page));
        }
        let all = image.geometry().blocks();
        let blocks = match self.block {
            Some(block) if block >= all => {
                return Err(Failure::input(format!(
                    "there is no block {block}: the image has blocks 0 to {}",
                    all - 1
                )));
            }
            Some(block) => block..block + 1,
            None => 0..all,
        };
        let mut out = io::BufWriter::new(io::stdout().lock());
        writeln!(out, "block page ppn state lpn kind seq bytes")?;
        for block in blocks.map(BlockId) {
            let mut lines = String::new();
            let first = image.geometry().ppn(block, 0).0;
            let whole = image.pages_of(block, |ppn, state| {
                let place = format!("{} {} {}", block.0, ppn.0 - first, ppn.0);
                let _ = writeln!(lines, "{place} {}", line(state));
            });
            if !whole.map_err(Failure::internal)? {
                let _ = writeln!(lines, "{} - - damaged - - - -", block.0);
            }
            out.write_all(lines.as_bytes())?;
        }
        Ok(out.flush()?)
    }
}

/// State, LPN, kind, seq, bytes.
fn line(state: PageState) -> String {
    match state {
        PageState::Erased => "erased - - - -".into(),
        PageState::Unreadable => "unreadable - - - -".into(),
        PageState::Damaged(_) => "damaged - - - -".into(),
        PageState::Programmed { oob, bytes } => {
            let kind = match oob.kind {
                PageKind::Data => "data",
                PageKind::Translation => "translation",
                PageKind::Other => "other",
            };
            let bytes = if bytes { "yes" } else { "no" };
            format!("programmed {} {kind} {} {bytes}", oob.lpn.0, oob.seq)
        }
    }
}

fn dump_page(image: &mut Image, ppn: Ppn) -> Result<(), Failure> {
    let mut bytes = vec![0; image.geometry().page_bytes() as usize];
    image.read(ppn, Some(&mut bytes), flash::Cause::Host).map_err(Failure::input)?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    for (at, line) in (0..).step_by(16).zip(bytes.chunks(16)) {
        let hex: Vec<String> = line.iter().map(|byte| format!("{byte:02x}")).collect();
        let graphic = |byte: &u8| if byte.is_ascii_graphic() { char::from(*byte) } else { '.' };
        let text: String = line.iter().map(graphic).collect();
        writeln!(out, "{at:08x}  {:47}  {text}", hex.join(" "))?;
    }
    Ok(out.flush()?)
}
