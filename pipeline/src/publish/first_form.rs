//! Where deployments of the first form lie: each under its number, with names of their own for files and variants.
//!
//! Nothing writes this form any more. Such deployments are served and brought back as long as they are kept, and the
//! next build puts their files anew under the hash of their bytes.
//!
//! An object's name differs from the file's own name in one case: a file that itself ends in `.br` or `.gz` is stored as
//! `…%2Ebr`, so that no file can take the place of another's compressed variant.

use object_store::path::Path as Key;

use super::keys::{DEPLOYMENTS, Keys, SOURCES, key};
use super::{Encoding, PublishError, Tree};

impl Keys<'_> {
    /// The folder of a deployment of the first form.
    pub(super) fn first_folder(self, number: u64) -> Result<Key, PublishError> {
        key(&format!("{}/{DEPLOYMENTS}/{number}", self.0))
    }

    pub(super) fn first_manifest(self, number: u64, tree: &Tree) -> Result<Key, PublishError> {
        key(&format!("{}/{DEPLOYMENTS}/{number}/_manifest/{tree}.json", self.0))
    }

    pub(super) fn first_source_index(self, number: u64) -> Result<Key, PublishError> {
        key(&format!("{}/{DEPLOYMENTS}/{number}/_manifest/{SOURCES}.json", self.0))
    }

    pub(super) fn first_object(
        self,
        number: u64,
        tree: &Tree,
        name: &str,
        encoding: Option<Encoding>,
    ) -> Result<Key, PublishError> {
        let mut text = format!("{}/{DEPLOYMENTS}/{number}/{tree}/{name}", self.0);
        if [".br", ".gz"].iter().any(|ending| name.ends_with(ending)) {
            text.replace_range(text.len() - 3..text.len() - 2, "%2E");
        }
        if let Some(encoding) = encoding {
            text.push_str(encoding.ending());
        }
        key(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SiteId;

    #[test]
    fn a_file_never_takes_the_place_of_a_variant() {
        let site = SiteId::parse("s").unwrap();
        let object = |name, encoding| Keys(&site).first_object(1, &Tree::Shared, name, encoding).unwrap();
        assert_eq!(object("a.js", Some(Encoding::Gzip)).as_ref(), "s/_deployments/1/_assets/a.js.gz");
        assert_eq!(object("a.js.gz", None).as_ref(), "s/_deployments/1/_assets/a.js%2Egz");
        assert_eq!(object("a.br", Some(Encoding::Brotli)).as_ref(), "s/_deployments/1/_assets/a%2Ebr.br");
    }
}
