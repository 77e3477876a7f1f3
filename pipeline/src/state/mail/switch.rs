//! Whether mail is written down, and what tells whoever sends it that there is some.

use super::super::State;

impl State {
    /// From now on mail is written down, because somebody sends it; or is not. `confirms` says whether an address must be
    /// confirmed first.
    pub fn set_mailing(&self, is_on: bool, confirms: bool) {
        self.mailing.set(is_on, confirms);
    }

    /// Waits until somebody's wish for mail is another, or a mail was written down.
    pub async fn mail_news(&self) {
        self.mailing.signal.wait().await;
    }
}
