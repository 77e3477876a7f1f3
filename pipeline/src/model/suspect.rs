//! What makes a source suspect: more of it is lost, replaced or new than one crawl may change.

use crate::counted::counted;
use serde::{Deserialize, Serialize};

use super::{PagePath, RunId};

/// How many pages are named; the counts cover all.
const EXAMPLES: usize = 10;

/// Why a run kept part of the last accepted source instead of what it was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceSuspect {
    /// Always `source_suspect`.
    pub code: String,
    /// Pages that were known.
    pub known_pages: u64,
    /// Known pages that are not there any more.
    pub vanished_pages: u64,
    /// Known pages that lead to another page.
    pub redirected_pages: u64,
    /// Known pages that have one text now, or the text of an error.
    pub equal_pages: u64,
    /// Pages that earlier crawls of the last 24 hours lost; they count too.
    pub lost_before: u64,
    /// Pages that may be lost.
    pub max_lost: u64,
    /// Pages that were not known.
    pub new_pages: u64,
    /// Unknown pages that may come at once.
    pub max_new: u64,
    /// Pages that keep their last version.
    pub kept_pages: u64,
    /// Unknown pages that were not taken.
    pub held_back_pages: u64,
    /// Some of the pages.
    pub examples: Vec<DoubtfulPage>,
    /// What the run saw; whoever accepts the run accepts this and nothing later.
    pub fingerprint: String,
    /// The run that accepted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted_by: Option<RunId>,
}

/// A page that makes a source suspect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoubtfulPage {
    /// Its path.
    pub path: PagePath,
    /// What is odd about it.
    pub reason: Doubt,
}

/// What is odd about a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    /// It is not there any more.
    Vanished,
    /// It leads to another page.
    Redirected,
    /// It has the text of other pages, or of an error.
    EqualText,
    /// It was not known.
    New,
}

impl SourceSuspect {
    /// The code by which programs know it.
    pub const CODE: &'static str = "source_suspect";

    /// The pages that are named, of all that are odd.
    pub fn examples<'p>(pages: impl Iterator<Item = (&'p PagePath, Doubt)>) -> Vec<DoubtfulPage> {
        pages
            .take(EXAMPLES)
            .map(|(path, reason)| DoubtfulPage {
                path: path.clone(),
                reason,
            })
            .collect()
    }

    /// What is wrong, as a sentence without what to do.
    pub fn message(&self) -> String {
        let count = |pages: u64, what: &str| (pages > 0).then(|| format!("{pages} {what}"));
        let lost = [
            count(self.vanished_pages, "vanished"),
            count(self.redirected_pages, "lead elsewhere"),
            count(self.equal_pages, "have one and the same text"),
            count(self.lost_before, "were lost in the last 24 hours"),
        ];
        let lost: Vec<String> = lost.into_iter().flatten().collect();
        let mut parts = Vec::new();
        if self.lost_pages() > 0 {
            parts.push(format!(
                "of {} known pages {} (limit {})",
                self.known_pages,
                lost.join(", "),
                self.max_lost
            ));
        }
        if self.new_pages > self.max_new {
            parts.push(format!(
                "{} (limit {})",
                counted(self.new_pages, "new page"),
                self.max_new
            ));
        }
        let mut done = Vec::new();
        if self.kept_pages > 0 {
            done.push(format!(
                "{} kept in the last version",
                counted(self.kept_pages, "page")
            ));
        }
        if self.held_back_pages > 0 {
            done.push(format!(
                "{} held back",
                counted(self.held_back_pages, "new page")
            ));
        }
        format!(
            "the source looks wrong: {}; {}",
            parts.join(", "),
            done.join(", ")
        )
    }

    /// Known pages that this crawl lost.
    pub fn lost_pages(&self) -> u64 {
        self.vanished_pages + self.redirected_pages + self.equal_pages
    }

    /// What is wrong and what to do, for the people who ran it.
    pub fn notice(&self, run: Option<RunId>) -> String {
        match run {
            Some(run) => format!(
                "{}; if the source is meant to be so, run `latimer build --accept-source {run}`",
                self.message()
            ),
            None => format!(
                "{}; if the source is right, run a build to see how to accept it",
                self.message()
            ),
        }
    }
}
