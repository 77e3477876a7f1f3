//! The engines, one file each. They encode, call, decode and map errors; everything else is done around them.

mod apertium;
mod apertium_apy;
mod azure;
mod codes;
mod command;
mod deepl;
#[cfg(feature = "fx")]
mod fx;
mod google;
mod group;
mod http;
mod identity;
mod libretranslate;
mod openai;
mod pivot;
mod pseudo;
mod spans;
mod spelling;

pub(super) use apertium::Apertium;
pub(super) use command::Command;
#[cfg(feature = "fx")]
pub(super) use fx::{Fx, prove};
pub(super) use identity::Identity;
pub(super) use pivot::Pivot;
pub(super) use pseudo::Pseudo;

use super::ServiceKind;

/// The engines behind HTTP, in the order in which messages name them.
pub(super) static SERVICES: [&ServiceKind; 6] =
    [&libretranslate::KIND, &deepl::KIND, &google::KIND, &azure::KIND, &openai::KIND, &apertium_apy::KIND];
