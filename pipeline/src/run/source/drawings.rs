//! Pages as a browser drew them, from the store.

use bytes::Bytes;

use crate::run::context::Build;
use crate::run::error::BuildError;
use crate::state::DrawnSource;
use crate::store;

/// The HTML that a browser made of a page; `None` if its bytes are missing.
pub(in crate::run) async fn read_drawing(
    build: &Build<'_>,
    drawing: &DrawnSource,
) -> Result<Option<Bytes>, BuildError> {
    let found = store::source(&build.stores.objects, &build.site.id, &drawing.name).await?;
    Ok(found.filter(|bytes| *blake3::hash(bytes).to_hex() == *drawing.name))
}
