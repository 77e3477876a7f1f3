//! A deployment in the store, as a static host would publish it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::AuditError;
use super::folder::FileTree;
use crate::hosts::Layout;
use crate::store::{Objects, Published};

/// The files of a deployment, by their names at a host.
pub(super) struct DeploymentTree<'a> {
    layout: Layout<'a>,
    objects: &'a Objects,
    published: &'a Published,
    /// The host of a file among those of the layout, and its name there.
    places: BTreeMap<String, (usize, String)>,
}

impl<'a> DeploymentTree<'a> {
    pub(super) fn of(published: &'a Published, objects: &'a Objects) -> Self {
        let layout = Layout::of(published);
        let mut places = BTreeMap::new();
        for (index, root) in layout.roots.iter().enumerate() {
            let whole = |name: &String| match root.folder.as_str() {
                "" => name.clone(),
                folder => format!("{folder}/{name}"),
            };
            places.extend(
                root.files
                    .keys()
                    .map(|name| (whole(name), (index, name.clone()))),
            );
        }
        Self {
            layout,
            objects,
            published,
            places,
        }
    }
}

impl FileTree for DeploymentTree<'_> {
    fn names(&self) -> BTreeSet<String> {
        self.places.keys().cloned().collect()
    }

    fn place(&self) -> PathBuf {
        PathBuf::from(format!(
            "deployment {} of {}",
            self.published.deployment(),
            self.published.site()
        ))
    }

    async fn read(&self, name: &str) -> Result<Vec<u8>, AuditError> {
        let place = self
            .places
            .get(name)
            .and_then(|(root, name)| self.layout.roots.get(*root)?.files.get(name));
        let Some(file) = place else {
            return Err(AuditError::NoAddress(PathBuf::from(name)));
        };
        Ok(self
            .published
            .read(self.objects, file.tree, file.name, file.entry, None)
            .await?
            .to_vec())
    }
}
