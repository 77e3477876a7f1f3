//! Files of Latimer's own, as objects of a deployment.

use bytes::Bytes;

use crate::model::PagePath;
use crate::site_files::OwnScript;
use crate::store::Object;

/// A script of ours among the files of the site.
pub(in crate::run) fn own_script(script: &OwnScript) -> Object {
    own_file(
        &script.name,
        "text/javascript; charset=utf-8",
        Bytes::from(script.text.clone()),
    )
}

pub(in crate::run) fn own_file(name: &str, content_type: &str, body: Bytes) -> Object {
    Object::new(name.to_owned(), PagePath::of_file(name), content_type, body)
}
