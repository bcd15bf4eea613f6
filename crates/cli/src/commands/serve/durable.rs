//! `--durable`: what flushed data outlives, and what a start finds after an unclean end.

use super::log::Log;
use crate::failure::Failure;
use device::image::{self, Image, NEED_ORDER, Recovered};
use lab::config::ResolvedScheme;

/// What flushed data outlives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Durable {
    Process,
    Machine,
}

/// Version of images that keep the choice.
const KEPT_FROM: u32 = 2;

/// Sets it for an image that is made, or for one that is kept before it is used. What differs from what the image has is told.
pub(super) fn choose(
    image: &mut Image,
    asked: Option<Durable>,
    scheme: &ResolvedScheme,
    fresh: bool,
    log: &Log,
) -> Result<(), Failure> {
    let path = image.path().display().to_string();
    let machine = match asked {
        Some(asked) => asked == Durable::Machine,
        None if fresh => true,
        None => image.durable() == image::Durable::Machine,
    };
    let kept = image.version() >= KEPT_FROM;
    let name = scheme.config.preset.name;
    if machine && !kept && NEED_ORDER.contains(&name) {
        return Err(Failure::input_with_help(
            format!(
                "--durable machine: `{path}` is of version 1, where a machine that fails may lose any write since the last flush, \
                 and the mount of {name} needs all that was written before the last page"
            ),
            "copy its data to a new image, or leave --durable out",
        ));
    }
    if !fresh && !kept && asked.is_none() {
        log.tell(format_args!(
            "`{path}` is of version 1, which does not keep --durable: flushed data outlive the end of the process, not the loss of \
             the machine's power"
        ));
    }
    let was_machine = image.durable() == image::Durable::Machine;
    if !fresh && kept && machine != was_machine {
        let (was, is) = match machine {
            true => ("the end of the process alone", "the loss of the machine's power, too"),
            false => ("the loss of the machine's power", "the end of the process alone"),
        };
        log.tell(format_args!(
            "`{path}`: flushed data outlived {was}; from now on they outlive {is}. With its first change, or its shutdown, the \
             image keeps that for later starts without --durable"
        ));
    }
    if !fresh && kept && !was_machine && !image.starts().clean {
        log.tell(format_args!(
            "`{path}` was not shut down, and was written with --durable process: if the machine lost its power, flushed data may \
             be lost; if only the process ended, nothing is"
        ));
    }
    image.sync_before_erases(machine);
    Ok(())
}

/// Tells what an unclean end left in part, and what was mended. Version 1 is mended here, if flushed data are to be there.
pub(super) fn recover(image: &mut Image, log: &Log) -> Result<(), Failure> {
    let kept = image.version() >= KEPT_FROM;
    let machine = image.durable() == image::Durable::Machine;
    if !kept && (!machine || image.starts().clean) {
        return Ok(());
    }
    let recovered = image.recover().map_err(|error| {
        let why = image.failure().unwrap_or_else(|| error.to_string());
        Failure::internal(format!("cannot recover `{}`: {why}", image.path().display()))
    })?;
    let path = image.path().display();
    let Recovered { pages, blocks, mended } = recovered;
    if mended > 0 {
        log.tell(format_args!(
            "`{path}`: of {mended} records one copy was damaged; the other one is whole, and has replaced it: nothing is lost"
        ));
    }
    if recovered.has_lost() && machine {
        log.tell(format_args!(
            "`{path}`: {pages} page writes and {blocks} changes of blocks after the last flush were taken back, since the file has \
             them in part; what a flush covered is not among them"
        ));
    } else if recovered.has_lost() {
        log.tell(format_args!(
            "`{path}`: {pages} pages and {blocks} blocks were written in part when the machine failed: what they held is lost, and \
             older data may be read in their place"
        ));
    }
    Ok(())
}
