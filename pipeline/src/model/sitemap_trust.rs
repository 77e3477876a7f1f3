//! Whether what the sitemaps of a site say of changes (`lastmod`) is relied on.
//!
//! It has to be earned: by crawls in a row that held pages against it and found it right. One page that changed without it ends
//! that. A crawl that had nothing to hold against it, such as the first, proves nothing.

use serde::{Deserialize, Serialize};

/// How many crawls in a row have to find it right.
const ENOUGH: u8 = 2;

/// What crawls found out about the sitemaps of a site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SitemapTrust {
    /// How many crawls in a row found them right, as far as that counts.
    pub right: u8,
    /// Whether the site's owner knows that they are not.
    pub told: bool,
    /// Where the rotation stands of pages that are asked although they would be passed over: blake3 of the path of the last one,
    /// in hexadecimal.
    pub turn: String,
}

/// What a crawl found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SitemapFinding {
    /// No page whose `lastmod` stayed was there to be looked at.
    Nothing,
    /// Those that were looked at are as they were.
    Right,
    /// One of them changed.
    Wrong,
}

impl SitemapTrust {
    /// Whether pages may be passed over.
    pub fn is_earned(&self) -> bool {
        self.right >= ENOUGH
    }

    /// What is known after a crawl, and whether the owner is to be told that sitemaps are wrong: once, until they are relied on
    /// again.
    #[must_use]
    pub fn after(self, finding: SitemapFinding) -> (Self, bool) {
        match finding {
            SitemapFinding::Nothing => (self, false),
            SitemapFinding::Right => {
                let right = self.right.saturating_add(1).min(ENOUGH);
                (
                    Self {
                        right,
                        told: self.told && right < ENOUGH,
                        ..self
                    },
                    false,
                )
            }
            SitemapFinding::Wrong => {
                let tell = !self.told;
                (
                    Self {
                        right: 0,
                        told: true,
                        ..self
                    },
                    tell,
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_is_earned_by_two_crawls_in_a_row_and_lost_by_one() {
        use SitemapFinding::{Nothing, Right, Wrong};
        let mut trust = SitemapTrust::default();
        for (finding, is_earned, tell) in [
            (Nothing, false, false),
            (Right, false, false),
            (Wrong, false, true),
            (Wrong, false, false),
            (Right, false, false),
            (Wrong, false, false),
            (Right, false, false),
            (Nothing, false, false),
            (Right, true, false),
            (Nothing, true, false),
            (Right, true, false),
            (Wrong, false, true),
            (Right, false, false),
            (Right, true, false),
        ] {
            let told;
            (trust, told) = trust.after(finding);
            assert_eq!((trust.is_earned(), told), (is_earned, tell), "{finding:?}");
        }
    }
}
