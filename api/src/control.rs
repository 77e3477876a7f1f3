//! The API, below `/api`: `gate` checks who asks and whether they may, `route` finds the operation, `operations` do it.
//! `door` lets in who is signed in at the admin screen. `reports` takes what readers' browsers tell, without a token.

pub(crate) mod cors;
pub(crate) mod door;
pub(crate) mod form;
pub(crate) mod gate;
pub(crate) mod mail_link;
pub(crate) mod operations;
pub(crate) mod reports;
pub(crate) mod route;
