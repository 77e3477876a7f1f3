//! Quota of a site's bytes in the store, counted before they are written.

use std::sync::atomic::{AtomicU64, Ordering};

use super::StoreError;

/// Bytes that a site has left.
#[derive(Debug)]
pub(super) struct Quota {
    most: u64,
    left: AtomicU64,
}

impl Quota {
    /// A quota of which `taken` bytes are used.
    pub(super) fn new(most: u64, taken: u64) -> Self {
        Self {
            most,
            left: AtomicU64::new(most.saturating_sub(taken)),
        }
    }

    /// Takes room for bytes that are about to be written.
    pub(super) fn take(&self, bytes: usize) -> Result<(), StoreError> {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let taken = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(bytes)
            });
        taken
            .map(drop)
            .map_err(|_| StoreError::Quota { most: self.most })
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::super::{Objects, put_source};
    use crate::model::SiteId;

    #[tokio::test]
    async fn bytes_are_refused_before_they_are_written() {
        let objects = Objects::memory();
        let site = SiteId::parse("a").unwrap();
        let body = |bytes: usize| Bytes::from(vec![b'x'; bytes]);
        put_source(&objects, &site, "old", body(40)).await.unwrap();
        put_source(
            &objects,
            &SiteId::parse("ab").unwrap(),
            "another",
            body(400),
        )
        .await
        .unwrap();
        let bounded = objects.within(&site, 100).await.unwrap();
        put_source(&bounded, &site, "fits", body(60)).await.unwrap();
        let error = put_source(&bounded, &site, "beyond", body(1))
            .await
            .unwrap_err();
        assert!(
            error.to_string().contains("more than the 100 bytes"),
            "{error}"
        );
        assert_eq!(
            super::super::source(&objects, &site, "beyond")
                .await
                .unwrap(),
            None
        );
        put_source(&objects, &site, "beyond", body(1))
            .await
            .unwrap();
        let full = objects.within(&site, 100).await.unwrap();
        assert!(
            put_source(&full, &site, "again", body(1)).await.is_err(),
            "what lies there counts"
        );
    }
}
