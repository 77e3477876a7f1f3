//! The engines, one file each. They encode, call, decode and map errors; everything else is done around them.

mod apertium;
mod command;
#[cfg(feature = "fx")]
mod fx;
mod group;
mod identity;
mod pseudo;

pub(super) use apertium::Apertium;
pub(super) use command::Command;
#[cfg(feature = "fx")]
pub(super) use fx::Fx;
pub(super) use identity::Identity;
pub(super) use pseudo::Pseudo;
