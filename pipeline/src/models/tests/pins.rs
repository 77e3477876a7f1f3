//! Pins: models without any, files that are not as pinned any more, and removal of what is pinned.

use super::*;

#[tokio::test]
async fn a_model_that_somebody_put_there_is_pinned_or_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in MODEL {
        let path = folder.path().join("models/mine").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    assert_eq!(
        states(folder.path()),
        [("en-pt".to_owned(), ModelState::Unpinned, vec![])]
    );
    let error = remove(
        &folder.path().join("models"),
        LanguagePair {
            from: &locale("en"),
            to: &locale("pt-BR"),
        },
    )
    .unwrap_err()
    .to_string();
    assert!(error.contains("is not pinned"), "{error}");
    let other = [("model.enpt.bin", "other"), ("vocab.enpt.spm", "other")];
    let error = try_add(order(folder.path(), zipped(folder.path(), &other)))
        .await
        .unwrap_err();
    assert!(error.contains("move it out of the way"), "{error}");
    let added = try_add(order(folder.path(), zipped(folder.path(), &MODEL)))
        .await
        .unwrap();
    assert_eq!(
        (added.outcome, added.model.state),
        (AddOutcome::Pinned, ModelState::Pinned)
    );
}

/// Pins that somebody wrote.
fn own_pins(files: &str) -> String {
    format!(r#"{{"source": "en", "target": "pt", "from": "x", "files": {{{files}}}}}"#)
}

#[tokio::test]
async fn changes_and_losses_are_seen() {
    let part = |name: &str| format!("models/enpt/{name}");
    let vocabulary = part("vocab.enpt.spm");
    let pins = |text: &str| (part("pins.json"), Some(text.to_owned()));
    for ((file, text), state, problem) in [
        (
            (vocabulary.clone(), Some("other words".to_owned())),
            ModelState::Changed,
            "vocab.enpt.spm has the SHA-256 ",
        ),
        (
            (vocabulary.clone(), None),
            ModelState::Damaged,
            "vocab.enpt.spm is missing",
        ),
        (
            (part("model.enpt.intgemm.alphas.bin"), None),
            ModelState::Damaged,
            "model.enpt.intgemm.alphas.bin is missing",
        ),
        (
            (part("lex.1.enpt.bin"), Some("new".into())),
            ModelState::Changed,
            "lex.1.enpt.bin was not there when",
        ),
        ((part("pins.json"), None), ModelState::Unpinned, ""),
        (
            pins("{"),
            ModelState::Damaged,
            "pins.json: EOF while parsing",
        ),
        (
            pins(&own_pins("")),
            ModelState::Damaged,
            "it names no model file",
        ),
        (
            pins(&own_pins(
                "\"model.enpt.bin\": \"\", \"../../vocab.enpt.spm\": \"\"",
            )),
            ModelState::Damaged,
            "\"../../vocab.enpt.spm\" is no file of the model enpt",
        ),
    ] {
        let folder = with_model().await;
        let path = folder.path().join(file);
        match &text {
            Some(text) => fs::write(&path, text).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        let found = states(folder.path());
        let [(pair, found, problems)] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!((pair.as_str(), *found), ("en-pt", state), "{problems:?}");
        assert!(
            problems.join("; ").contains(problem),
            "{problem:?} is not in {problems:?}"
        );
        assert_eq!(problems.is_empty(), problem.is_empty(), "{problems:?}");
    }
}

#[tokio::test]
async fn only_what_was_added_is_removed() {
    let models = |folder: &TempDir| -> PathBuf { folder.path().join("models") };
    let try_remove = |folder: &TempDir, to: &str| {
        remove(
            &models(folder),
            LanguagePair {
                from: &locale("en"),
                to: &locale(to),
            },
        )
        .map_err(|error| crate::causes::chain(&error))
    };
    let folder = with_model().await;
    let error = try_remove(&folder, "de").unwrap_err();
    assert!(
        error.contains("no model for en-de") && error.contains("there are en-pt"),
        "{error}"
    );
    fs::write(models(&folder).join("enpt/notes"), "mine").unwrap();
    let there = files(&models(&folder));
    let error = try_remove(&folder, "pt").unwrap_err();
    assert!(
        error.contains("contains files that do not belong to the model for en-pt: notes"),
        "{error}"
    );
    assert_eq!(files(&models(&folder)), there);
    fs::remove_file(models(&folder).join("enpt/notes")).unwrap();
    assert_eq!(try_remove(&folder, "pt-BR").unwrap().files.len(), 3);
    assert_eq!(fs::read_dir(models(&folder)).unwrap().count(), 0);

    // An interrupted download resumes after the files that are complete.
    let folder = with_model().await;
    fs::remove_file(models(&folder).join("enpt/model.enpt.intgemm.alphas.bin")).unwrap();
    try_remove(&folder, "pt").unwrap();
    assert_eq!(fs::read_dir(models(&folder)).unwrap().count(), 0);

    // Pins that somebody wrote lead nowhere else.
    let folder = with_model().await;
    fs::write(folder.path().join("vocab.enpt.spm"), "another's").unwrap();
    let pins = own_pins("\"model.enpt.bin\": \"\", \"../../vocab.enpt.spm\": \"\"");
    fs::write(models(&folder).join("enpt/pins.json"), pins).unwrap();
    let there = files(folder.path());
    let error = try_remove(&folder, "pt").unwrap_err();
    assert!(error.contains("is no file of the model"), "{error}");
    assert_eq!(files(folder.path()), there);
}
