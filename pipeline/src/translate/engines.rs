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
pub(super) use apertium_apy::ApertiumApy;
pub(super) use azure::Azure;
pub(super) use command::Command;
pub(super) use deepl::Deepl;
#[cfg(feature = "fx")]
pub(super) use fx::{Fx, prove};
pub(super) use google::Google;
pub(super) use identity::Identity;
pub(super) use libretranslate::LibreTranslate;
pub(super) use openai::OpenAi;
pub(super) use pivot::Pivot;
pub(super) use pseudo::Pseudo;
