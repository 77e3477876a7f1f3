//! The API, below `/api`: `gate` checks who asks and whether they may, `route` finds the operation, `operations` do it.

pub(crate) mod cors;
pub(crate) mod form;
pub(crate) mod gate;
pub(crate) mod operations;
pub(crate) mod route;
