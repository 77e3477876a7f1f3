//! What time it is, for what is written down.

use std::time::SystemTime;

use crate::model::{Moment, Month};

/// This moment.
pub fn now() -> Moment {
    SystemTime::now().into()
}

/// This month in UTC.
pub fn month() -> Month {
    now().into()
}
