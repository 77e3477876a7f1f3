//! Names of style sheets for right-to-left languages, as tools write them (rtlcss, WordPress, Bootstrap).

/// The paths of the style sheets that take the place of one in right-to-left languages, the likeliest first. Empty if the path names
/// no style sheet, or one that is for these languages already.
pub(crate) fn rtl_sheets(path: &str) -> Vec<String> {
    let Some(stem) = path.strip_suffix(".css") else {
        return Vec::new();
    };
    let plain = stem.strip_suffix(".min");
    if is_rtl(plain.unwrap_or(stem)) || is_rtl(stem) {
        return Vec::new();
    }
    match plain {
        Some(plain) => {
            vec![
                format!("{plain}-rtl.min.css"),
                format!("{plain}.rtl.min.css"),
                format!("{stem}-rtl.css"),
            ]
        }
        None => vec![format!("{stem}-rtl.css"), format!("{stem}.rtl.css")],
    }
}

/// The path of the style sheet that themes of WordPress add to this one in right-to-left languages.
pub(crate) fn added_rtl_sheet(path: &str) -> Option<String> {
    let folder = path
        .strip_suffix("style.css")
        .filter(|folder| folder.ends_with('/'))?;
    Some(format!("{folder}rtl.css"))
}

fn is_rtl(stem: &str) -> bool {
    stem.ends_with("-rtl") || stem.ends_with(".rtl") || stem.ends_with("/rtl")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn style_sheets_for_right_to_left_have_known_names_r_s26() {
        for (path, expected) in [
            ("/style.css", &["/style-rtl.css", "/style.rtl.css"][..]),
            (
                "/a/b.min.css",
                &["/a/b-rtl.min.css", "/a/b.rtl.min.css", "/a/b.min-rtl.css"],
            ),
            ("/style-rtl.css", &[]),
            ("/style.rtl.min.css", &[]),
            ("/a/rtl.css", &[]),
            ("/style.js", &[]),
        ] {
            assert_eq!(rtl_sheets(path), expected, "{path}");
        }
        assert_eq!(
            added_rtl_sheet("/theme/style.css").as_deref(),
            Some("/theme/rtl.css")
        );
        assert_eq!(added_rtl_sheet("/theme/my-style.css"), None);
    }
}
