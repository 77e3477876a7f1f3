//! A model on this machine, for people.

use pipeline::models::ListedModel;

/// Writes a model with its state, its files and what is wrong with it.
pub(super) fn write(model: &ListedModel) -> String {
    let ListedModel {
        pair,
        folder,
        state,
        used,
        from,
        version,
        ..
    } = model;
    let unused = if *used { "" } else { ", not used" };
    let version = version
        .as_ref()
        .map(|version| format!(", version {version}"))
        .unwrap_or_default();
    let from = from
        .as_ref()
        .map(|from| format!("{version}, from {from}"))
        .unwrap_or_default();
    let mut text = format!(
        "{pair}  {}{unused}  {}{from}\n",
        state.as_str(),
        folder.display()
    );
    for file in &model.files {
        let differs = if file.matches == Some(false) {
            "  not as pinned"
        } else {
            ""
        };
        text += &format!(
            "  {:>10}  {}  {}{differs}\n",
            file.bytes, file.sha256, file.name
        );
    }
    model
        .problems
        .iter()
        .for_each(|problem| text += &format!("  {problem}\n"));
    text
}
