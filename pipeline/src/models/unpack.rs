//! Unpacks a file of a model, whether it is compressed with zstd, with gzip or not at all.
//!
//! The first bytes say which it is: names on mirrors do not always. The size of what is unpacked is bounded.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Writes a file's content to a new file, of at most `limit` bytes.
pub(super) fn unpack(packed: impl Read, target: &Path, limit: u64) -> Result<(), String> {
    let mut reader = plain(packed).map_err(|error| error.to_string())?;
    let mut file =
        File::create_new(target).map_err(|error| format!("it cannot be written: {error}"))?;
    let bytes = io::copy(&mut reader.by_ref().take(limit + 1), &mut file);
    let bytes = bytes.map_err(|error| error.to_string())?;
    if bytes > limit {
        return Err(format!("it unpacks to more than {limit} bytes"));
    }
    file.sync_all()
        .map_err(|error| format!("it cannot be written: {error}"))?;
    Ok(())
}

/// The content of a file.
fn plain<'a>(packed: impl Read + 'a) -> io::Result<Box<dyn Read + 'a>> {
    let mut packed = BufReader::new(packed);
    let mut head = Vec::new();
    packed
        .by_ref()
        .take(ZSTD.len() as u64)
        .read_to_end(&mut head)?;
    let is_gzip = head.starts_with(&GZIP);
    let is_zstd = head == ZSTD;
    let whole = Cursor::new(head).chain(packed);
    Ok(match (is_gzip, is_zstd) {
        (true, _) => Box::new(MultiGzDecoder::new(whole)),
        (_, true) => Box::new(zstd::Decoder::new(whole)?),
        (false, false) => Box::new(whole),
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(bytes).unwrap();
        gzip.finish().unwrap()
    }

    #[test]
    fn a_file_is_unpacked_by_what_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let zstd = zstd::encode_all(&b"words"[..], 3).unwrap();
        for (number, packed) in [b"words".to_vec(), gzip(b"words"), zstd.clone()]
            .into_iter()
            .enumerate()
        {
            let target = folder.path().join(number.to_string());
            assert_eq!(unpack(packed.as_slice(), &target, 5), Ok(()));
            assert_eq!(std::fs::read(&target).unwrap(), b"words");
        }
        let target = folder.path().join("large");
        assert_eq!(
            unpack(zstd.as_slice(), &target, 4),
            Err("it unpacks to more than 4 bytes".into())
        );
        let target = folder.path().join("cut");
        assert!(unpack(&zstd[..zstd.len() - 2], &target, 5).is_err());
        let target = folder.path().join("empty");
        assert_eq!(unpack(&b""[..], &target, 5), Ok(()));
    }
}
