//! Builds the pages of a folder in Spanish with the library: `cargo run --example build_folder -- SOURCE TARGET`.
//!
//! The engine `pseudo` needs no key and no network. It replaces letters with accented ones.

use std::path::Path;
use std::sync::Arc;

use pipeline::config::Config;
use pipeline::run::{self, BuildOptions, Stores};
use pipeline::state::{RunKind, RunOrder, RunOrigin, State};
use pipeline::store::Objects;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [source, target] = arguments.as_slice() else {
        return Err("usage: build_folder SOURCE TARGET".into());
    };
    let source = std::path::absolute(source)?;
    let target = std::path::absolute(target)?;
    let settings = format!(
        "[[site]]\nid = \"site\"\nsource = {source:?}\nsource_locale = \"en\"\nlocales = [\"es\"]\n\
         engine = \"pseudo\"\nurl = \"https://www.example.com/{{lang}}\"\n"
    );
    let config = Config::parse(&settings, Path::new("latimer.toml"), &|_| None)?;
    let site = &config.sites[0];

    // Pages go to the object store. The state keeps translations and facts, so that the next build does little.
    std::fs::create_dir_all(&target)?;
    let stores = Stores {
        objects: Objects::folder(&target.join("pages"))?,
        state: Arc::new(State::open(&target.join("state.redb"))?),
    };
    let order = RunOrder::of(RunKind::Build, RunOrigin::CommandLine);
    let record = stores.state.begin_run(&site.id, order, run::now())?;
    let options = BuildOptions::default();
    let performed = run::perform(site, &stores, record, &options, &|_| (), &|_| ()).await;
    let report = performed.record(&stores, &site.id).await?;
    println!(
        "deployment {}: {} pages, {} objects written",
        report.deployment, report.pages, report.written
    );
    Ok(())
}
