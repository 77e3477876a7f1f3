//! Reading an object piece by piece; what a bucket cuts off goes on where it stopped.

use std::io;
use std::ops::Range;

use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt, stream};
use object_store::path::Path as Key;
use object_store::{Error, GetOptions, GetRange, GetResult};

use super::{Objects, StoreError};

/// The bytes of an object as they arrive.
pub type ByteStream = BoxStream<'static, io::Result<Bytes>>;

/// How often one reading goes on after it was cut off.
const MOST_CUTS: u32 = 5;

impl Objects {
    /// Opens an object, or a part of it, for reading piece by piece; `None` where there is none.
    pub(super) async fn stream(
        &self,
        key: &Key,
        part: Option<Range<u64>>,
    ) -> Result<Option<ByteStream>, StoreError> {
        let options = GetOptions {
            range: part.map(GetRange::Bounded),
            ..GetOptions::default()
        };
        let Some(found) = self.start(key, options).await? else {
            return Ok(None);
        };
        Ok(Some(match self.patience {
            Some(_) => Resumed::of(self.clone(), key.clone(), found),
            None => found.into_stream().map_err(io::Error::from).boxed(),
        }))
    }
}

/// A reading that goes on after it was cut off, if the object is still the same.
struct Resumed {
    objects: Objects,
    key: Key,
    e_tag: Option<String>,
    rest: Range<u64>,
    pieces: BoxStream<'static, Result<Bytes, Error>>,
    cuts: u32,
}

impl Resumed {
    fn of(objects: Objects, key: Key, found: GetResult) -> ByteStream {
        let e_tag = found.meta.e_tag.clone();
        let rest = found.range.clone();
        let reading = Self {
            objects,
            key,
            e_tag,
            rest,
            pieces: found.into_stream(),
            cuts: 0,
        };
        stream::try_unfold(reading, Self::next).boxed()
    }

    async fn next(mut self) -> io::Result<Option<(Bytes, Self)>> {
        loop {
            match self.pieces.next().await {
                Some(Ok(bytes)) => {
                    self.rest.start += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
                    return Ok(Some((bytes, self)));
                }
                None if self.rest.is_empty() => return Ok(None),
                None => self.again(io::ErrorKind::UnexpectedEof.into()).await?,
                Some(Err(cut)) => self.again(cut.into()).await?,
            }
        }
    }

    async fn again(&mut self, cut: io::Error) -> io::Result<()> {
        self.cuts += 1;
        if self.cuts > MOST_CUTS || self.rest.is_empty() {
            return Err(cut);
        }
        let range = Some(GetRange::Bounded(self.rest.clone()));
        let options = GetOptions {
            range,
            if_match: self.e_tag.clone(),
            ..GetOptions::default()
        };
        match self.objects.start(&self.key, options).await {
            Ok(Some(found)) if found.range == self.rest => {
                self.pieces = found.into_stream();
                Ok(())
            }
            Ok(_) => Err(cut),
            Err(error) => Err(io::Error::other(error)),
        }
    }
}
