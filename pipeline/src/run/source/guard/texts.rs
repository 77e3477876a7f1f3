//! What pages say before and after a crawl, read where the verdict depends on it: of pages whose bytes changed, and of
//! the pages to which known ones lead now.

use std::collections::{BTreeMap, BTreeSet};

use futures::{StreamExt, TryStreamExt, stream};

use super::judge::{Case, CrawlVerdict, PageFate};
use super::known::AcceptedBaseline;
use super::print::TextPrint;
use crate::model::PagePath;
use crate::run::context::Build;
use crate::run::corpus::extract;
use crate::run::error::BuildError;
use crate::run::source::sources::Sources;
use crate::state::{AcceptedSource, SourceKind, SourceRecords};

/// What pages say; a page whose bytes are lost says nothing.
type Prints = BTreeMap<PagePath, TextPrint>;

/// Fills a case with what its pages say.
pub(super) async fn read_texts(
    build: &Build<'_>,
    known: &AcceptedBaseline,
    recent: &AcceptedSource,
    sources: &Sources,
    case: &mut Case,
) -> Result<(), BuildError> {
    follow_redirects(build, known, sources, case).await?;
    let is_changed = |fate: &PageFate| matches!(fate, PageFate::Changed { .. });
    let changed: Vec<PagePath> = paths(case, is_changed);
    if changed.len() < 2 && recent.alike.is_empty() && recent.errors.is_empty() {
        return Ok(());
    }
    let now = text_prints(build, &sources.records, &changed).await?;
    let said_before = |path: &PagePath| recent.alike.get(path).map(|(_, words)| words);
    for (path, fate) in &case.known {
        let stays =
            *fate == PageFate::Same || now.get(path).map(|print| &print.words) == said_before(path);
        if let Some(words) = said_before(path).filter(|_| stays) {
            case.alike_before.insert(path.clone(), words.clone());
        }
    }
    // Only what several pages say now, or what an error says, needs to be compared with what was said before.
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    now.values()
        .for_each(|print| *counts.entry(&print.words).or_default() += 1);
    let is_shared = |path: &&PagePath| {
        now.get(*path).is_some_and(|print| {
            counts
                .get(print.words.as_str())
                .is_some_and(|count| *count > 1)
                || case.errors.contains(&print.words)
                || case
                    .alike_before
                    .values()
                    .any(|words| *words == print.words)
        })
    };
    let shared: Vec<PagePath> = changed.iter().filter(is_shared).cloned().collect();
    let before = text_prints(build, &known.records, &shared).await?;
    for path in changed {
        let fate = PageFate::Changed {
            before: before.get(&path).cloned(),
            now: now.get(&path).cloned(),
        };
        case.known.insert(path, fate);
    }
    Ok(())
}

/// Tells pages that moved from pages that lead to something else.
async fn follow_redirects(
    build: &Build<'_>,
    known: &AcceptedBaseline,
    sources: &Sources,
    case: &mut Case,
) -> Result<(), BuildError> {
    let led = case.known.iter().filter_map(|(path, fate)| match fate {
        PageFate::Redirected(to) => Some((path.clone(), to.clone())),
        PageFate::Same
        | PageFate::Changed { .. }
        | PageFate::Moved(_)
        | PageFate::Vanished
        | PageFate::Beyond
        | PageFate::Gone => None,
    });
    let led: Vec<(PagePath, PagePath)> = led.collect();
    let from: Vec<PagePath> = led.iter().map(|(from, _)| from.clone()).collect();
    let to: BTreeSet<PagePath> = led.iter().map(|(_, to)| to.clone()).collect();
    let before = text_prints(build, &known.records, &from).await?;
    let now = text_prints(build, &sources.records, &to.into_iter().collect::<Vec<_>>()).await?;
    for (from, to) in led {
        let says_the_same = match (before.get(&from), now.get(&to)) {
            (Some(before), Some(now)) => before.words == now.words,
            (None, _) | (_, None) => false,
        };
        if says_the_same || (is_same_place(&from, &to) && sources.records.contains_key(&to)) {
            case.known.insert(from, PageFate::Moved(to));
        }
    }
    Ok(())
}

/// Unknown pages that are errors: they say what lost pages say now, or lost pages lead to them.
pub(super) async fn new_errors(
    build: &Build<'_>,
    verdict: &CrawlVerdict,
    sources: &Sources,
) -> Result<BTreeSet<PagePath>, BuildError> {
    let targets = verdict.lost.keys().filter_map(|path| sources.led_to(path));
    let mut errors: BTreeSet<PagePath> = targets.collect();
    let words: BTreeSet<&String> = verdict.errors().collect();
    if !words.is_empty() {
        let new: Vec<PagePath> = verdict.new.iter().cloned().collect();
        let prints = text_prints(build, &sources.records, &new).await?;
        errors.extend(
            prints
                .into_iter()
                .filter(|(_, print)| words.contains(&print.words))
                .map(|(path, _)| path),
        );
    }
    errors.retain(|path| verdict.new.contains(path));
    Ok(errors)
}

async fn text_prints(
    build: &Build<'_>,
    records: &SourceRecords,
    pages: &[PagePath],
) -> Result<Prints, BuildError> {
    let pages = pages
        .iter()
        .filter_map(|path| Some((path, &**records.get(path)?)));
    let pages = pages.filter(|(_, record)| record.kind == SourceKind::Page);
    let print = |(path, record)| async move {
        let page = extract::parse(build, path, record).await?;
        Ok::<_, BuildError>(page.map(|page| (path.clone(), TextPrint::of(path, &page))))
    };
    let prints = stream::iter(pages)
        .map(print)
        .buffer_unordered(build.options.jobs.get());
    prints
        .try_filter_map(|print| std::future::ready(Ok(print)))
        .try_collect()
        .await
}

fn paths(case: &Case, is: impl Fn(&PageFate) -> bool) -> Vec<PagePath> {
    case.known
        .iter()
        .filter(|(_, fate)| is(fate))
        .map(|(path, _)| path.clone())
        .collect()
}

/// Whether two paths are spellings of one: with a slash at the end or without, with `index.html` or `.html` or without.
fn is_same_place(one: &PagePath, other: &PagePath) -> bool {
    let bare = |path: &PagePath| {
        let text = path.as_str();
        let text = text.strip_suffix("index.html").unwrap_or(text);
        text.strip_suffix(".html")
            .unwrap_or(text)
            .trim_end_matches('/')
            .to_owned()
    };
    bare(one) == bare(other)
}
