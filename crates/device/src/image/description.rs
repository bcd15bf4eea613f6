//! What an image says of itself beside its geometry: its part, and what its user wrote down.

use super::error::ImageError;
use super::layout::TEXT_BYTES;
use flash::Part;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use workload::escaped;

/// Description of an image, kept in it as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// The part, which gives the times and the SLC mode.
    pub part: Part,
    /// Settings of the user of the image, such as its scheme, by name.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
}

impl Description {
    /// A description of this part alone, as its data sheet has it: copy paths and read retries are the controller's
    /// ([`Image::use_with`](super::Image::use_with)).
    pub fn of_part(part: &Part) -> Self {
        let part = Part { copies: None, retry: None, ..part.clone() };
        Self { part, settings: BTreeMap::new() }
    }

    /// The part's figures alone: what is said of it may be said in other words by another version.
    pub(super) fn figures(part: &Part) -> Part {
        Part { description: "".into(), source: "".into(), ..Self::of_part(part).part }
    }

    /// The text in the file.
    pub(super) fn to_text(&self) -> Result<Vec<u8>, ImageError> {
        if self.part.copies.is_some() || self.part.retry.is_some() {
            let reason = "copy paths and read retries are not part of a data sheet";
            return Err(ImageError::Description(reason.into()));
        }
        let text =
            serde_json::to_vec(self).map_err(|error| ImageError::Description(error.to_string()))?;
        if text.len() > TEXT_BYTES {
            let reason = format!("its text has {} bytes, at most {TEXT_BYTES} fit", text.len());
            return Err(ImageError::Description(reason));
        }
        Ok(text)
    }

    pub(super) fn from_text(text: &[u8]) -> Result<Self, String> {
        let told = |error: serde_json::Error| escaped(&error.to_string()).into_owned();
        serde_json::from_slice(text).map_err(|error| format!("its description: {}", told(error)))
    }
}
