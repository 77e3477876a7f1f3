//! The engines, one file each. They encode, call, decode and map errors; everything else is done around them.

mod command;
mod group;
mod identity;
mod pseudo;

pub(super) use command::Command;
pub(super) use identity::Identity;
pub(super) use pseudo::Pseudo;
