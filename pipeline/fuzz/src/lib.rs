//! The pure rooms of the library alone. They need a tenth of its dependencies, so that fuzzing is built in a minute.

#[path = "../../src"]
mod rooms {
    pub mod model;
    pub mod page;
}

pub use rooms::{model, page};
