//! The engines, one file each. They encode, call, decode and map errors; everything else is done around them.

mod apertium;
mod command;
mod group;
mod identity;
mod pseudo;

pub(super) use apertium::Apertium;
pub(super) use command::Command;
pub(super) use identity::Identity;
pub(super) use pseudo::Pseudo;
