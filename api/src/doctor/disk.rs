//! Whether folders can be written.

use std::path::Path;

/// Makes sure that a file can be made and taken away in a folder that may have to be made first.
pub(super) fn writable(folder: &Path) -> Result<(), String> {
    // Above the first folder of a relative path lies the one that we are in.
    let existing = folder
        .ancestors()
        .find(|ancestor| ancestor.exists())
        .unwrap_or(Path::new("."));
    let failed = |error: std::io::Error| {
        let place = existing.display();
        format!(
            "cannot write in {}: {error}; let the user that runs latimer write in {place}",
            folder.display()
        )
    };
    let probe = existing.join(format!(".latimer-doctor-{}", std::process::id()));
    std::fs::write(&probe, b"")
        .and_then(|()| std::fs::remove_file(&probe))
        .map_err(failed)
}
