//! Builds that have nothing to do: everything that a build reads has one key, and where that is the key of the last build,
//! its outcome is this one's.
//!
//! The key is made after the crawl, so what the source holds was looked at; extraction, translation and rendering are passed
//! over. Only a build that left nothing open keeps a key: one with a text that nobody had words for has to ask again. When in
//! doubt, a key misses, and the build does everything. `--rebuild` asks no key, and must give the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use blake3::Hasher;
use serde::Serialize;

use super::clock::month;
use super::context::{Build, blocking};
use super::error::RunError;
use super::options::{Step, Trust};
use super::report::{LocaleReport, Report, Words};
use super::sources::Sources;
use crate::config::Source;
use crate::model::Locale;
use crate::publish::{self, Draft, Lock, Published, Switches};
use crate::store::{MemoryLedger, Stage, WholeRecord};
use crate::translate::Steps;

/// The form of the key; another one for whoever changes what is read.
const FORM: &str = "1";
/// How deep the folders of models and templates are looked into.
const DEPTH: usize = 4;

/// A key in the making; each part is told from the next.
struct Key(Hasher);

impl Key {
    fn add(&mut self, part: &[u8]) {
        self.0.update(&part.len().to_le_bytes());
        self.0.update(part);
    }

    fn add_debug(&mut self, part: &impl std::fmt::Debug) {
        self.add(format!("{part:?}").as_bytes());
    }

    fn add_json(&mut self, part: &impl Serialize) -> Result<(), RunError> {
        let text = serde_json::to_vec(part).map_err(|error| RunError::Broken(error.to_string()))?;
        self.add(&text);
        Ok(())
    }

    /// The bytes of a file, or that there is none.
    fn add_file(&mut self, path: &Path) {
        self.add_debug(&path);
        match fs::read(path) {
            Ok(bytes) => self.add(&bytes),
            Err(error) => self.add_debug(&error.kind()),
        }
    }

    /// The files of a folder: their bytes, or what the disk says of those that are too large to be read for this.
    fn add_folder(&mut self, folder: &Path, depth: usize, look: fn(&mut Self, &Path)) {
        let Ok(entries) = fs::read_dir(folder) else { return self.add(b"none") };
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths {
            match path.is_dir() && depth > 0 {
                true => self.add_folder(&path, depth - 1, look),
                false => look(self, &path),
            }
        }
    }

    /// What the disk says of a file.
    fn add_stat(&mut self, path: &Path) {
        let stat = fs::metadata(path).map(|found| {
            let changed = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            (found.len(), changed)
        });
        self.add_debug(&(path, stat.map_err(|error| error.kind())));
    }
}

impl Build<'_> {
    /// Whether this build may be passed over where nothing changed, or keep what it was made of.
    fn may_be_whole(&self) -> bool {
        let options = self.options;
        let is_plain = options.pages.is_all()
            && !matches!(options.trust, Trust::Accepted { .. })
            && !(options.offline || options.frozen || options.force || options.rebuild || options.must_publish);
        // What a browser draws and another program writes is not all in files of ours.
        is_plain && self.site.scripts.discovery.is_none() && self.site.search.pagefind.is_empty()
    }

    /// The key of what the source holds and of what the crawl said; nothing where the build has to do everything.
    pub(super) fn source_key(&self, sources: &Sources, crawled: &Report) -> Result<Option<[u8; 32]>, RunError> {
        let is_whole = crawled.failures.is_empty()
            && crawled.traps.is_empty()
            && !crawled.truncated
            && crawled.source_suspect.is_none()
            && sources.carried.paths.is_empty();
        if !is_whole || !self.may_be_whole() {
            return Ok(None);
        }
        let mut key = Key(Hasher::new());
        for (path, record) in &sources.records {
            key.add(path.as_str().as_bytes());
            // What a server says of equal bytes may differ in each answer.
            key.add_json(&record.without_validators())?;
        }
        key.add_json(&sources.redirects)?;
        key.add_json(&sources.rules)?;
        key.add_json(crawled)?;
        Ok(Some(key.0.finalize().into()))
    }

    /// The key of what lies beside the source and others may change at any time: settings, the files they name, switches. It is
    /// made before a build reads them, and again after it.
    pub(super) async fn beside_key(&self) -> Result<[u8; 32], RunError> {
        let mut key = Key(Hasher::new());
        key.add(FORM.as_bytes());
        add_program(&mut key);
        key.add_debug(self.site);
        // A language that is named is built also where it is off.
        key.add_debug(&self.options.locales.iter().collect::<BTreeSet<_>>());
        key.add_debug(&Switches::newest(&self.stores.objects, &self.site.id).await?);
        if self.site.max_chars_per_month.is_some() || self.site.payer.is_some() {
            key.add(month().as_bytes());
        }
        self.add_files(&mut key);
        Ok(key.0.finalize().into())
    }

    /// The key of everything that a build reads, with what it left: the newest commit and the memory. Nothing where the store
    /// has translations of others that the state did not take yet.
    async fn whole_key(
        &self,
        source: [u8; 32],
        beside: [u8; 32],
        previous: &Published,
    ) -> Result<Option<String>, RunError> {
        let mut key = Key(Hasher::new());
        key.add(&source);
        key.add(&beside);
        key.add(&previous.deployment().to_le_bytes());
        key.add_json(previous.commit())?;
        for locale in &self.site.locales {
            let (state, id, of) = (self.stores.state.clone(), self.site.id.clone(), locale.clone());
            let (ledger, answers) =
                blocking(move || Ok::<_, RunError>((state.memory_ledger(&id, &of)?, state.answers(&id, &of)?.len())))
                    .await??;
            key.add_debug(&(locale, ledger.changes, answers));
            if !self.add_lines(&mut key, locale, &ledger) {
                return Ok(None);
            }
            for file in publish::memory_files(&self.stores.objects, &self.site.id, locale).await? {
                if !ledger.files.contains_key(&file.name) {
                    return Ok(None);
                }
                key.add_debug(&(file.name, file.size));
            }
        }
        Ok(Some(key.0.finalize().to_hex().to_string()))
    }

    /// The file of memory lines, which a build writes, too; says whether it is as the state knows it.
    fn add_lines(&self, key: &mut Key, locale: &Locale, ledger: &MemoryLedger) -> bool {
        let Some(file) = &self.site.memory else { return true };
        let hash = fs::read(file.path(locale)).ok().map(|bytes| blake3::hash(&bytes).to_hex().to_string());
        key.add_debug(&hash);
        hash == ledger.lines.as_ref().map(|lines| lines.hash.clone())
    }

    /// Every file that the settings name and that is no source, but those of memory lines.
    fn add_files(&self, key: &mut Key) {
        let site = self.site;
        for locale in &site.locales {
            for file in [&site.translations, &site.slugs].into_iter().flatten() {
                key.add_file(&file.path(locale));
            }
        }
        // The crawl passes over hidden files, and what this one says of scripts counts.
        if let Source::Folder(folder) = &site.source {
            key.add_file(&folder.join(".htaccess"));
        }
        site.glossary.iter().for_each(|file| key.add_file(file));
        site.templates.iter().for_each(|folder| key.add_folder(folder, DEPTH, Key::add_file));
        for engine in &site.engines {
            engine.spec.key_files().into_iter().for_each(|file| key.add_file(file));
            engine.spec.model_folders().into_iter().for_each(|folder| key.add_folder(folder, DEPTH, Key::add_stat));
        }
    }

    /// What a build of this source says where nothing changed since the last one; nothing where this one has to do
    /// everything. The published files are looked at as always: damage is for a whole build.
    pub(super) async fn unchanged(
        &self,
        (source, beside): (Option<[u8; 32]>, [u8; 32]),
        sources: &Sources,
        previous: Option<&Published>,
    ) -> Result<Option<Report>, RunError> {
        let (Some(source), Some(previous)) = (source, previous) else { return Ok(None) };
        let (state, id) = (self.stores.state.clone(), self.site.id.clone());
        let read = move || Ok::<_, RunError>((state.whole(&id)?, state.locales_with_unwritten(&id)?.is_empty()));
        let (Some(known), true) = blocking(read).await?? else { return Ok(None) };
        if self.whole_key(source, beside, previous).await? != Some(known.key) {
            return Ok(None);
        }
        // A report of another version is no report.
        let Ok(mut report) = serde_json::from_value::<Report>(known.report) else { return Ok(None) };
        let (objects, id) = (&self.stores.objects, &self.site.id);
        let draft = Draft::begin_under(objects, id, Lock::share(objects, id).await?).await?;
        let is_same = draft.previous().is_some_and(|found| found.deployment() == previous.deployment());
        if !is_same || draft.notes_damage() || !draft.damage().is_empty() || !draft.passed_over().is_empty() {
            return Ok(None);
        }
        drop(draft);
        // A bucket vouches for its bytes itself; those on a disk are read as a whole build would read them.
        if objects.is_folder() {
            for record in sources.records.values() {
                if self.source(record).await?.is_none() {
                    return Ok(None);
                }
            }
        }
        let (state, id) = (self.stores.state.clone(), self.site.id.clone());
        report.page_words = blocking(move || state.page_words(&id)).await??;
        // Whoever follows the run sees that everything is done.
        self.step(Stage::Extract, report.pages, Some(report.pages));
        for locale in &report.locales {
            let (done, total) = (report.segments, Some(report.segments));
            (self.progress)(&Step { stage: Stage::Translate, locale: Some(&locale.locale), done, total });
        }
        self.step(Stage::Render, report.pages, Some(report.pages));
        Ok(Some(report))
    }

    /// What this build was made of, so that the next one knows whether it has anything to do; nothing where that has to do
    /// everything. It is kept when the run is recorded, since what a passed-over build says stands on that.
    pub(super) async fn whole(
        &self,
        (source, beside): (Option<[u8; 32]>, [u8; 32]),
        report: &Report,
    ) -> Result<Option<WholeRecord>, RunError> {
        let Some(source) = source.filter(|_| is_settled(report)) else { return Ok(None) };
        let newest = Published::newest(&self.stores.objects, &self.site.id, None).await?;
        let Some(newest) = newest.filter(|newest| newest.deployment() == report.deployment) else { return Ok(None) };
        // Somebody may have written to a file while it was read.
        if self.beside_key().await? != beside {
            return Ok(None);
        }
        let Some(key) = self.whole_key(source, beside, &newest).await? else { return Ok(None) };
        let report = serde_json::to_value(as_unchanged(report, &newest));
        Ok(Some(WholeRecord { key, report: report.map_err(|error| RunError::Broken(error.to_string()))? }))
    }
}

/// The program, by what the disk says of its file.
fn add_program(key: &mut Key) {
    key.add(env!("CARGO_PKG_VERSION").as_bytes());
    key.add_stat(Path::new("/proc/self/exe"));
}

/// Whether a build left nothing that the next one would try again or say otherwise.
fn is_settled(report: &Report) -> bool {
    let is_settled = |locale: &LocaleReport| {
        locale.refused.is_empty()
            && locale.kept_pages.is_empty()
            && locale.unavailable == 0
            && locale.words.untranslated == 0
            // A text that lacks a term is asked again as soon as an engine takes it.
            && locale.terms.missed == 0
    };
    report.absent_engines.is_empty() && report.failures.is_empty() && report.locales.iter().all(is_settled)
}

/// What a build says that is made of the same and so changes nothing.
fn as_unchanged(report: &Report, newest: &Published) -> Report {
    let objects: u64 = newest.commit().trees.values().map(|tree| tree.objects).sum();
    let locale = |locale: &LocaleReport| LocaleReport {
        updated: 0,
        reworded: 0,
        engine_calls: 0,
        characters_sent: 0,
        engines: BTreeMap::new(),
        markup: Steps::default(),
        words: Words { memory: locale.words.memory + locale.words.engine, engine: 0, ..locale.words },
        ..locale.clone()
    };
    Report {
        created: false,
        written: 0,
        removed: 0,
        unchanged: objects,
        locales: report.locales.iter().map(locale).collect(),
        run_id: None,
        page_words: BTreeMap::<Locale, _>::new(),
        rewritten: BTreeMap::new(),
        whole: None,
        ..report.clone()
    }
}
