//! A site on the web: its pages, as far as links, sitemaps and versions lead to them.
//!
//! Links are followed in the folder of the first page and in those of its versions, also on other hosts; beyond these,
//! only what is named as a version, canonical address or entry of a sitemap is asked for. Addresses are asked for in
//! groups and answers are taken in order, so that two audits of the same site are the same.

use std::collections::{BTreeMap, BTreeSet};

use url::Url;

use super::AuditError;
use super::answer::AuditAnswer;
use super::bounds;
use super::details::CachedPageFacts;
use super::links::is_checked;
use super::site::{AuditAnswers, AuditedPage, AuditedSite, Header, LostSitemap, SitemapFile};
use crate::crawl::{AddressBudget, MOST_SITEMAPS, SurveyReply, SurveyedPage, Surveyor, names_file};
use crate::model::LinkHeader;
use crate::page::{LinkFact, read_facts};
use crate::threads::on_thread;

/// How many addresses are asked for at a time.
const CONCURRENCY: usize = 8;

/// Addresses fetched before their answers are read: the number of bodies in memory.
const GROUP: usize = 16;

/// What is known so far.
struct AuditCrawl {
    pages: Vec<AuditedPage>,
    answers: BTreeMap<Url, AuditAnswer>,
    /// Folders in which links are followed.
    roots: Vec<Url>,
    waiting: BTreeSet<Url>,
    asked: BTreeSet<Url>,
    /// Room for addresses, for what one page says, and for what all of them say.
    room: AddressBudget,
    room_of_page: AddressBudget,
    room_for_facts: AddressBudget,
    /// True if something was left out for lack of room.
    cut: bool,
}

/// Reads a site. The flag says that the site has more than `max_pages` pages, or more than the bounds allow.
pub(super) async fn read(
    start: &Url,
    max_pages: usize,
    progress: &dyn Fn(usize, usize),
) -> Result<(AuditedSite, bool), AuditError> {
    let mut start = start.clone();
    start.set_fragment(None);
    let mut surveyor = Surveyor::start(&start, CONCURRENCY).await?;
    let mut walk = AuditCrawl {
        pages: Vec::new(),
        answers: BTreeMap::new(),
        roots: vec![folder_of(&start)],
        waiting: BTreeSet::from([start.clone()]),
        asked: BTreeSet::new(),
        room: AddressBudget::for_pages(max_pages),
        room_of_page: AddressBudget::for_links(max_pages),
        room_for_facts: AddressBudget::for_facts(max_pages),
        cut: false,
    };
    let mut sitemaps = AuditSitemaps {
        files: Vec::new(),
        lost: Vec::new(),
        asked: BTreeSet::new(),
        room: AddressBudget::for_pages(max_pages),
    };
    let mut is_full = false;
    while !walk.waiting.is_empty() && walk.asked.len() < max_pages && !is_full {
        let group: Vec<Url> = walk
            .waiting
            .iter()
            .take((max_pages - walk.asked.len()).min(GROUP))
            .cloned()
            .collect();
        group.iter().for_each(|url| {
            walk.waiting.remove(url);
            walk.asked.insert(url.clone());
        });
        for (url, reply) in surveyor.ask(group).await {
            is_full |= !walk.take(&start, url, reply).await?;
        }
        if sitemaps.files.is_empty() && sitemaps.asked.is_empty() {
            for root in walk.roots.clone() {
                sitemaps.read(&surveyor, &root, &mut walk).await;
            }
        }
        progress(walk.asked.len(), walk.asked.len() + walk.waiting.len());
    }
    let truncated = !walk.waiting.is_empty() || walk.cut;
    if walk.pages.is_empty() {
        return Err(AuditError::NoAnswer(start.to_string()));
    }
    let site = walk.finish(sitemaps);
    Ok((site, truncated))
}

impl AuditCrawl {
    /// Takes a reply; `false` once there is no room for what pages say.
    async fn take(
        &mut self,
        start: &Url,
        url: Url,
        reply: SurveyReply,
    ) -> Result<bool, AuditError> {
        let mut has_room = true;
        let answer = match reply {
            SurveyReply::File => AuditAnswer::File,
            SurveyReply::Missing => AuditAnswer::Missing,
            SurveyReply::Unknown => AuditAnswer::Unknown,
            SurveyReply::Redirect(target) => {
                if url == *start {
                    self.roots.push(folder_of(&target));
                }
                self.want(target.clone());
                AuditAnswer::Redirect(target)
            }
            SurveyReply::Page(found) => {
                let ReadPage {
                    page,
                    leads,
                    size,
                    is_cut,
                } = read_page(&url, found, self.room_of_page).await?;
                self.cut |= is_cut;
                if self.pages.is_empty() {
                    self.roots.extend(versions(&page).iter().map(folder_of));
                }
                has_room = self.room_for_facts.take(size);
                if has_room {
                    self.follow(&page, &leads);
                    self.pages.push(page);
                    AuditAnswer::Page(self.pages.len() - 1)
                } else {
                    self.cut = true;
                    AuditAnswer::Unknown
                }
            }
        };
        self.answers.insert(url, answer);
        Ok(has_room)
    }

    fn follow(&mut self, page: &AuditedPage, leads: &[String]) {
        let canonicals = page.canonicals();
        let canonicals = canonicals
            .iter()
            .filter_map(|said| Url::parse(&said.text).ok());
        let named: Vec<Url> = versions(page).into_iter().chain(canonicals).collect();
        named.into_iter().for_each(|url| self.want(url));
        for address in leads {
            let Some(mut url) = page.join(address) else {
                continue;
            };
            // A query seldom names a page, and there is no end of them.
            url.set_query(None);
            let is_inside = self
                .roots
                .iter()
                .any(|root| root.origin() == url.origin() && url.path().starts_with(root.path()));
            if is_inside && !names_file(&url) {
                self.want(url);
            }
        }
    }

    fn want(&mut self, mut url: Url) {
        url.set_fragment(None);
        if self.asked.contains(&url) || self.waiting.contains(&url) {
            return;
        }
        if self.room.take(url.as_str().len()) {
            self.waiting.insert(url);
        } else {
            self.cut = true;
        }
    }

    /// Puts the pages in order of their addresses.
    fn finish(self, sitemaps: AuditSitemaps) -> AuditedSite {
        let mut order: Vec<usize> = (0..self.pages.len()).collect();
        order.sort_by(|one, other| self.pages[*one].name.cmp(&self.pages[*other].name));
        let mut places = vec![0; order.len()];
        order
            .iter()
            .enumerate()
            .for_each(|(place, index)| places[*index] = place);
        let mut pages: Vec<(usize, AuditedPage)> = places.iter().copied().zip(self.pages).collect();
        pages.sort_by_key(|(place, _)| *place);
        let answers = self.answers.into_iter().map(|(url, answer)| match answer {
            AuditAnswer::Page(index) => (url, AuditAnswer::Page(places[index])),
            other => (url, other),
        });
        AuditedSite {
            pages: pages.into_iter().map(|(_, page)| page).collect(),
            sitemaps: sitemaps.files,
            lost_sitemaps: sitemaps.lost,
            sheets: Vec::new(),
            answers: AuditAnswers::Web(answers.collect()),
            source: None,
        }
    }
}

/// A page that was read.
struct ReadPage {
    page: AuditedPage,
    /// Addresses of links to pages.
    leads: Vec<String>,
    /// Roughly how many bytes its facts take up.
    size: usize,
    /// True if some of its facts were left out.
    is_cut: bool,
}

/// Reads a page within the bounds.
async fn read_page(
    url: &Url,
    found: SurveyedPage,
    most: AddressBudget,
) -> Result<ReadPage, AuditError> {
    let url = url.clone();
    let read = on_thread(move || {
        let mut facts = read_facts(found.format, &found.body, found.charset.as_deref());
        let LinkHeader {
            canonical,
            alternates,
        } = LinkHeader::read(&found.links);
        let mut header = Header {
            noindex: found.noindex,
            canonical,
            alternates,
        };
        let is_cut = bounds::cut(&mut facts, &mut header, most);
        let size = bounds::size(&facts, &header);
        let leads = facts
            .links
            .iter()
            .filter(|link| leads_on(link))
            .map(|link| link.address.clone())
            .collect();
        let page = AuditedPage::new(
            url.to_string(),
            url,
            CachedPageFacts::of(facts, is_checked),
            header,
        );
        ReadPage {
            page,
            leads,
            size,
            is_cut,
        }
    });
    read.await.map_err(AuditError::from)
}

/// True for a link to a page.
fn leads_on(link: &LinkFact) -> bool {
    matches!(link.element.as_str(), "a" | "area" | "iframe" | "frame")
        || (link.element == "meta" && link.attribute == "content")
}

/// The folder in which an address lies.
fn folder_of(url: &Url) -> Url {
    let mut folder = url.clone();
    folder.set_query(None);
    folder.set_fragment(None);
    let end = folder.path().rfind('/').map_or(0, |slash| slash + 1);
    let path = folder.path()[..end].to_owned();
    folder.set_path(&path);
    folder
}

/// The versions that a page names, itself among them.
fn versions(page: &AuditedPage) -> Vec<Url> {
    let head = page
        .facts
        .alternates
        .iter()
        .filter_map(|alternate| page.join(&alternate.address));
    let header = page
        .header
        .alternates
        .iter()
        .filter_map(|(_, address)| page.url.join(address).ok());
    head.chain(header).collect()
}

/// The sitemaps of a site.
struct AuditSitemaps {
    files: Vec<SitemapFile>,
    lost: Vec<LostSitemap>,
    asked: BTreeSet<Url>,
    /// Room for what they list.
    room: AddressBudget,
}

impl AuditSitemaps {
    /// Reads the sitemaps that robots.txt names, or the one in the usual place, and those that they name.
    async fn read(&mut self, surveyor: &Surveyor, root: &Url, walk: &mut AuditCrawl) {
        let Ok(robots) = root.join("/robots.txt") else {
            return;
        };
        let named = surveyor.sitemaps(root);
        let mut waiting: Vec<(Url, Option<String>)> = Vec::new();
        for address in &named {
            waiting.extend(
                root.join(address)
                    .ok()
                    .map(|url| (url, Some(robots.to_string()))),
            );
        }
        if waiting.is_empty() {
            waiting.extend(root.join("/sitemap.xml").ok().map(|url| (url, None)));
        }
        while let Some((url, namer)) = waiting.pop() {
            if self.asked.len() >= MOST_SITEMAPS || !self.asked.insert(url.clone()) {
                continue;
            }
            match surveyor.sitemap(&url, &mut self.room).await {
                Ok(content) => {
                    walk.cut |= content.cut;
                    waiting.extend(content.sitemaps.iter().filter_map(|address| {
                        Some((url.join(address).ok()?, Some(url.to_string())))
                    }));
                    for page in content
                        .pages
                        .iter()
                        .filter_map(|entry| url.join(&entry.address).ok())
                    {
                        if walk.roots.iter().any(|root| root.origin() == page.origin())
                            && !names_file(&page)
                        {
                            walk.want(page);
                        }
                    }
                    self.files.push(SitemapFile {
                        name: url.to_string(),
                        url,
                        content,
                    });
                }
                Err(error) => {
                    let lost = |name| LostSitemap {
                        name,
                        address: url.to_string(),
                        reason: error.to_string(),
                    };
                    self.lost.extend(namer.map(lost));
                }
            }
        }
        self.files.sort_by(|one, other| one.name.cmp(&other.name));
    }
}
