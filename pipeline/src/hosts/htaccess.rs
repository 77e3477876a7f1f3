//! The source's own `.htaccess`, for Apache: theirs stays and comes first, ours follows below a marked line.
//!
//! Apache takes the rewrite rules of a file in their order, and those of a folder's file instead of all above it. So theirs
//! may take no address from ours, and a file of a folder may have no rewrite rules. What theirs says of caching and of
//! pages for what is not found holds; a folder's file goes with the folder into each language, and so do locks.

use std::collections::BTreeSet;

use super::facts::{HostFacts, HostFile};
use super::htaccess_lines::{Directive, MatchedAddresses, directives};
use super::joined::MARK;
use super::layout::HostSpot;
use super::rules::RuleReason;
use super::writing::decoded;
use crate::store::Tree;

/// The file, in any folder.
pub(super) const NAME: &str = ".htaccess";
/// Headers of ours that theirs may say instead.
const MAY_GO: [&str; 2] = ["cache-control", "x-content-type-options"];
const LEAVE_OUT: &str = "or leave the file out with `exclude`";

/// Joins the files of the source with ours, which are here already; gives what stands in the way of that.
pub(super) fn join(facts: &HostFacts<'_>, files: &mut Vec<HostFile>) -> Vec<String> {
    let mut cannot = Vec::new();
    let Some(source) = facts.root.spots.first() else {
        return cannot;
    };
    for (name, text) in facts.rules_of_source() {
        let theirs = text.find(MARK).map_or(text, |end| &text[..end]);
        let place = facts.root.name(&format!("{}/", source.shared), name);
        if theirs.trim().is_empty() || is_in_language(facts, &place) {
            continue;
        }
        let lines = match directives(theirs) {
            Ok(lines) => lines,
            Err(why) => {
                cannot.push(format!(
                    "{why} of the site's {name}, so nothing can follow it; mend it, {LEAVE_OUT}"
                ));
                continue;
            }
        };
        cannot.extend(locks_lost(facts, name, &lines));
        if place == NAME {
            cannot.extend(in_the_way(facts, name, &lines));
            files
                .iter_mut()
                .filter(|file| file.name == NAME)
                .for_each(|ours| ours.text = joined(theirs, &lines, ours));
        } else {
            cannot.extend(
                lines
                    .iter()
                    .find(|line| line.name().starts_with("rewrite"))
                    .map(|line| {
                        let why = format!(
                            "would switch off the rules of Latimer's {NAME} in that folder"
                        );
                        line.refused(
                            name,
                            &why,
                            "move such rules to the configuration of the server",
                        )
                    }),
            );
            files.extend(copies(facts, name, theirs, &lines));
            files.push(HostFile {
                name: place,
                is_beside: false,
                text: theirs.to_owned(),
            });
        }
    }
    cannot
}

/// Whether a name lies where a language's pages are.
fn is_in_language(facts: &HostFacts<'_>, name: &str) -> bool {
    let folder = |spot: &HostSpot<'_>| {
        facts
            .root
            .name(&format!("{}/", spot.prefix), "")
            .to_lowercase()
    };
    facts
        .root
        .with_shared()
        .any(|(_, spot)| name.to_lowercase().starts_with(&folder(spot)))
}

/// Theirs, the marked line, and what theirs does not say itself.
fn joined(theirs: &str, lines: &[Directive], ours: &HostFile) -> String {
    let of_headers = |is_wanted: fn(&Directive) -> bool| -> BTreeSet<String> {
        lines
            .iter()
            .filter(|line| is_wanted(line))
            .filter_map(Directive::header)
            .collect()
    };
    let everywhere = of_headers(|line| !line.is_of_some);
    let anywhere = of_headers(|_| true);
    let pages = lines
        .iter()
        .filter(|line| line.is("errordocument") && !line.is_of_some);
    let pages: BTreeSet<&str> = pages.filter_map(|line| line.word(1)).collect();
    let mut kept = String::new();
    let mut is_of_some = false;
    for line in ours.text.lines() {
        is_of_some =
            line.starts_with("<FilesMatch") || is_of_some && !line.starts_with("</FilesMatch");
        let word = |at: usize| line.split(' ').nth(at).unwrap_or_default();
        let header = word(2).to_lowercase();
        let is_said = match word(0) {
            "Header" if is_of_some => anywhere.contains(&header),
            "Header" => everywhere.contains(&header),
            "ErrorDocument" => pages.contains(word(1)),
            _ => false,
        };
        if !is_said || word(0) == "Header" && !MAY_GO.contains(&header.as_str()) {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    // A line that goes on would take the next one with it.
    let end = if theirs.trim_end().ends_with('\\') {
        "\n\n"
    } else {
        "\n"
    };
    format!("{}{end}{MARK}\n{kept}", theirs.trim_end())
}

/// A folder's file for the same folder of each language, without pages in the source's language.
fn copies(facts: &HostFacts<'_>, name: &str, theirs: &str, lines: &[Directive]) -> Vec<HostFile> {
    let pages: BTreeSet<usize> = lines
        .iter()
        .filter(|line| line.is("errordocument"))
        .flat_map(|line| line.line..=line.last)
        .collect();
    let kept = theirs
        .lines()
        .enumerate()
        .filter(|(at, _)| !pages.contains(&(at + 1)));
    let text: String = kept.map(|(_, line)| format!("{line}\n")).collect();
    let copy = |(_, spot): (usize, &HostSpot<'_>)| {
        let place = facts.root.name(&format!("{}/", spot.prefix), name);
        let folder = place.strip_suffix(NAME).unwrap_or_default();
        let has_files = facts
            .root
            .files
            .range(folder.to_owned()..)
            .next()
            .is_some_and(|(file, _)| file.starts_with(folder));
        // What lies at the root of a language is in the folder of the site already.
        let is_above = name == NAME;
        (has_files && !is_above).then(|| HostFile {
            name: place,
            is_beside: false,
            text: text.clone(),
        })
    };
    facts.root.with_shared().filter_map(copy).collect()
}

/// A lock on some files or on a folder, where pages with paths of their own would lie outside of it.
fn locks_lost(facts: &HostFacts<'_>, name: &str, lines: &[Directive]) -> Option<String> {
    let folder = name.strip_suffix(NAME).unwrap_or_default();
    let lock = lines
        .iter()
        .find(|line| line.is_lock() && (line.is_of_some || !folder.is_empty()))?;
    let settings = facts.root.spots.first()?.place.published.settings();
    let source = Tree::Locale(settings.source_locale.clone());
    let pages = facts
        .root
        .spots
        .first()?
        .place
        .published
        .manifest(&source)
        .into_iter();
    let inside = format!("/{folder}");
    let mut pages = pages.flat_map(|manifest| manifest.objects.values().map(|entry| &entry.path));
    let moved = pages.find_map(|page| {
        let is_inside = |path: &str| decoded(path).starts_with(&inside);
        let locale = settings.locales.keys().find(|locale| {
            let local = settings.slugs.local(locale, page);
            *local != *page && (lock.is_of_some || !is_inside(local.as_str()))
        })?;
        is_inside(page.as_str()).then(|| format!("{page} would lie outside of it in {locale}"))
    })?;
    let why = format!("is a lock, and {moved}");
    Some(lock.refused(
        name,
        &why,
        "write it into the configuration of the server for both",
    ))
}

/// What of theirs would hide ours at the root, or switch it off.
fn in_the_way(facts: &HostFacts<'_>, name: &str, lines: &[Directive]) -> Vec<String> {
    let ours = addresses(facts);
    let mut cannot = Vec::new();
    let mut conditions: Vec<&Directive> = Vec::new();
    for line in lines {
        let off = "would switch off Latimer's rules below it";
        let hides =
            |taken: &String| format!("would hide what Latimer's {NAME} says below it of {taken}");
        let narrow = "narrow that line";
        let untold = || "has a pattern that Latimer cannot read".to_owned();
        let why = match line.name() {
            "rewritecond" => {
                conditions.push(line);
                None
            }
            "rewriterule" => {
                let is_elsewhere = line.leads_to_another_host(&std::mem::take(&mut conditions));
                let taken = if is_elsewhere || !line.ends() {
                    Some(MatchedAddresses::default())
                } else {
                    line.rewritten(&ours)
                };
                match taken {
                    _ if line.is_of_some => {
                        Some(format!("is in a section for some files, where it {off}"))
                    }
                    _ if line.has_flag(&["s", "skip"]) => {
                        Some("skips lines that follow, also Latimer's".to_owned())
                    }
                    Some(taken) => taken.first.map(hides),
                    None => Some(untold()),
                }
            }
            "rewriteengine" => line
                .word(1)
                .filter(|word| word.eq_ignore_ascii_case("off"))
                .map(|_| off.to_owned()),
            "redirect" | "redirectpermanent" | "redirecttemp" => line.redirected(&ours).map(hides),
            "redirectmatch" => line
                .redirect_matched(&ours)
                .map_or_else(|| Some(untold()), |taken| taken.first.map(hides)),
            "options" => line
                .forbids_rewriting()
                .then(|| format!("{off}: they need FollowSymLinks")),
            "forcetype" | "sethandler" if !line.is_of_some => {
                Some("would be said of every page".to_owned())
            }
            _ => None,
        };
        cannot.extend(why.map(|why| line.refused(name, &why, narrow)));
    }
    let last = lines
        .iter()
        .rev()
        .find(|line| line.is("rewriterule"))
        .filter(|line| line.has_flag(&["c", "chain"]));
    let open = conditions.first().copied().or(last);
    cannot.extend(open.map(|line| {
        line.refused(
            name,
            "would count for Latimer's first rule below it",
            "end it with a rule",
        )
    }));
    cannot
}

/// The addresses that are ours: rules, and what lies in the folders of languages.
fn addresses(facts: &HostFacts<'_>) -> BTreeSet<String> {
    let is_theirs = |spot: usize| {
        facts
            .root
            .spots
            .get(spot)
            .is_some_and(|spot| spot.place.locale.is_none())
    };
    let rules = facts
        .rules
        .iter()
        .filter(|rule| !is_theirs(rule.spot) || rule.why != RuleReason::Spelling);
    let rules = rules.map(|rule| decoded(&rule.from));
    let is_of_language =
        |tree: &Tree| {
            facts.root.spots.iter().any(|spot| {
                spot.place.locale.is_some() && *tree == Tree::Locale(spot.locale.clone())
            })
        };
    let files = facts
        .root
        .files
        .values()
        .filter(|file| is_of_language(file.tree))
        .map(|file| decoded(&file.address));
    let homes = facts
        .root
        .spots
        .iter()
        .filter(|spot| !spot.prefix.is_empty())
        .map(|spot| decoded(&spot.prefix));
    rules.chain(files).chain(homes).collect()
}
