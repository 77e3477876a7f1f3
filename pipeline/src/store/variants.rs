//! Compressed variants: made once when a file is published, so that serving never compresses.

use std::collections::BTreeSet;
use std::io::{Read, Write};

use brotli::Allocator;
use brotli::enc::writer::CompressorWriterCustomAlloc;
use bytes::Bytes;
use flate2::{Compression, GzBuilder};

use super::tables::Tables;
use super::{ContentHash, Encoding};

/// Below this many bytes a variant saves less than a packet.
const SMALLEST: usize = 1024;
const BROTLI_QUALITY: u32 = 5;
const BROTLI_WINDOW: u32 = 22;
const GZIP_LEVEL: u32 = 6;

/// A file's hash and the variants that are worth keeping.
pub(super) struct PreparedFile {
    pub(super) hash: ContentHash,
    pub(super) variants: Vec<(Encoding, Bytes)>,
}

/// Hashes a file and compresses it as is `wanted`, unless its hash is `known`. Computes: not for async threads.
pub(super) fn prepare(
    body: &[u8],
    content_type: &str,
    known: &[ContentHash],
    wanted: &BTreeSet<Encoding>,
) -> PreparedFile {
    let hash = ContentHash::of(body);
    if known.contains(&hash) || body.len() < SMALLEST || !compresses(content_type) {
        return PreparedFile {
            hash,
            variants: Vec::new(),
        };
    }
    let worth = |bytes: &Vec<u8>| bytes.len() * 10 <= body.len() * 9;
    let packed = |encoding: &Encoding| match encoding {
        Encoding::Brotli => brotli(body),
        Encoding::Gzip => gzip(body),
    };
    let variants = wanted
        .iter()
        .filter_map(|encoding| Some((*encoding, Bytes::from(packed(encoding).ok().filter(worth)?))))
        .collect();
    PreparedFile { hash, variants }
}

/// Whether files of this type are text enough to be compressed.
pub fn compresses(content_type: &str) -> bool {
    let essence = content_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    essence.starts_with("text/")
        || [
            "+xml",
            "+json",
            "/json",
            "/javascript",
            "/xml",
            "/wasm",
            "font/ttf",
            "font/otf",
        ]
        .iter()
        .any(|ending| essence.ends_with(ending))
        || matches!(
            essence.as_str(),
            "image/x-icon" | "image/vnd.microsoft.icon" | "image/bmp"
        )
}

/// What a variant holds, no more than one byte longer than it should be.
pub(super) fn unpacked(packed: &[u8], encoding: Encoding, size: u64) -> std::io::Result<Vec<u8>> {
    let mut body = Vec::new();
    let longest = size.saturating_add(1);
    match encoding {
        Encoding::Brotli => brotli::Decompressor::new(packed, 4096)
            .take(longest)
            .read_to_end(&mut body)?,
        Encoding::Gzip => flate2::read::GzDecoder::new(packed)
            .take(longest)
            .read_to_end(&mut body)?,
    };
    Ok(body)
}

fn brotli(body: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut packed = Vec::with_capacity(body.len() / 3);
    let buffer = Tables.alloc_cell(4096);
    let mut writer = CompressorWriterCustomAlloc::new(
        &mut packed,
        buffer,
        Tables,
        BROTLI_QUALITY,
        BROTLI_WINDOW,
    );
    writer.write_all(body)?;
    drop(writer);
    Ok(packed)
}

fn gzip(body: &[u8]) -> std::io::Result<Vec<u8>> {
    let packed = Vec::with_capacity(body.len() / 3);
    let mut writer = GzBuilder::new()
        .mtime(0)
        .write(packed, Compression::new(GZIP_LEVEL));
    writer.write_all(body)?;
    writer.finish()
}
