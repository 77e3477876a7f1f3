//! Content codings, undone while the body arrives, so that a bomb stops at the limit and not after it.
//!
//! We ask for gzip and brotli and decode them ourselves, because only so can what came over the wire be held
//! against what it became.

use std::io::{self, BufRead, BufReader, Read, Write};

use flate2::bufread;
use flate2::write::MultiGzDecoder;

/// A body that grows past this is also held to [`RATIO`].
const RATIO_FLOOR: usize = 1 << 20;

/// How many times larger than its compressed form a body may be; real pages stay far below, bombs are at 1,000.
const RATIO: usize = 400;

/// Says why a body was not decoded.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DecodeError {
    /// The decoded body passed the limit.
    #[error("is larger than {0} bytes")]
    TooLarge(usize),
    /// The body is out of proportion to what was sent.
    #[error("grew from {wire} to more than {decoded} bytes when it was decompressed")]
    Bomb {
        /// Bytes received.
        wire: usize,
        /// Bytes they had become when decoding stopped.
        decoded: usize,
    },
    /// The compressed stream is damaged or incomplete.
    #[error("could not be decompressed: {0}")]
    Broken(#[from] io::Error),
    /// A coding that we did not ask for.
    #[error("is sent with the content coding {0:?}, which was not requested")]
    UnknownCoding(String),
}

impl DecodeError {
    pub(super) fn unknown(coding: &str) -> Self {
        const QUOTED: usize = 200;
        Self::UnknownCoding(coding.chars().take(QUOTED).collect())
    }
}

/// Decodes one body, chunk by chunk.
pub(crate) struct Decoder {
    coding: Coding,
    wire: usize,
    limit: usize,
}

enum Coding {
    Plain(Capped),
    Gzip(Box<MultiGzDecoder<Capped>>),
    Brotli(Box<brotli::DecompressorWriter<Capped>>),
}

impl Decoder {
    /// Starts a body in the coding of a `Content-Encoding` header.
    pub(crate) fn new(coding: &str, limit: usize) -> Result<Self, DecodeError> {
        let body = Capped {
            body: Vec::new(),
            limit,
        };
        let coding = match coding.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Coding::Plain(body),
            "gzip" | "x-gzip" => Coding::Gzip(Box::new(MultiGzDecoder::new(body))),
            "br" => Coding::Brotli(Box::new(brotli::DecompressorWriter::new(body, 8192))),
            other => return Err(DecodeError::unknown(other)),
        };
        Ok(Self {
            coding,
            wire: 0,
            limit,
        })
    }

    /// Takes the next chunk as it came over the wire.
    pub(crate) fn push(&mut self, chunk: &[u8]) -> Result<(), DecodeError> {
        self.wire += chunk.len();
        let written = match &mut self.coding {
            Coding::Plain(body) => body.write_all(chunk),
            Coding::Gzip(decoder) => decoder.write_all(chunk),
            Coding::Brotli(decoder) => decoder.write_all(chunk),
        };
        self.judge(written)
    }

    /// Ends the body and gives it back whole.
    pub(crate) fn finish(mut self) -> Result<Vec<u8>, DecodeError> {
        if self.wire > 0 {
            let ended = match &mut self.coding {
                Coding::Plain(_) => Ok(()),
                Coding::Gzip(decoder) => decoder.try_finish(),
                Coding::Brotli(decoder) => decoder.close(),
            };
            self.judge(ended)?;
        }
        Ok(self.cut())
    }

    /// Gives back what has been decoded so far.
    pub(crate) fn cut(mut self) -> Vec<u8> {
        std::mem::take(&mut self.body_mut().body)
    }

    fn body_mut(&mut self) -> &mut Capped {
        match &mut self.coding {
            Coding::Plain(body) => body,
            Coding::Gzip(decoder) => decoder.get_mut(),
            Coding::Brotli(decoder) => decoder.get_mut(),
        }
    }

    fn judge(&mut self, written: io::Result<()>) -> Result<(), DecodeError> {
        let wire = self.wire;
        let limit = self.limit;
        let decoded = self.body_mut().body.len();
        match written {
            _ if is_bomb(wire, decoded) => Err(DecodeError::Bomb { wire, decoded }),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                Err(DecodeError::TooLarge(limit))
            }
            other => Ok(other?),
        }
    }
}

/// The content of a gzip file as a stream. It fails if the content passes a limit or is out of proportion to the file.
struct Unpacked<'b> {
    decoder: bufread::MultiGzDecoder<&'b [u8]>,
    wire: usize,
    decoded: usize,
    limit: usize,
}

/// Unpacks a gzip file as a stream.
pub(crate) fn unpack(file: &[u8], limit: usize) -> impl BufRead + '_ {
    let decoder = bufread::MultiGzDecoder::new(file);
    BufReader::new(Unpacked {
        decoder,
        wire: file.len(),
        decoded: 0,
        limit,
    })
}

impl Read for Unpacked<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.decoder.read(buffer)?;
        self.decoded += count;
        let wire = self.wire;
        let decoded = self.decoded;
        if decoded > self.limit {
            return Err(io::Error::other(DecodeError::TooLarge(self.limit)));
        }
        if is_bomb(wire, decoded) {
            return Err(io::Error::other(DecodeError::Bomb { wire, decoded }));
        }
        Ok(count)
    }
}

fn is_bomb(wire: usize, decoded: usize) -> bool {
    decoded > RATIO_FLOOR && decoded / RATIO > wire
}

/// A buffer that fills up to its limit and then refuses.
struct Capped {
    body: Vec<u8>,
    limit: usize,
}

impl Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.limit - self.body.len();
        if room == 0 && !bytes.is_empty() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let taken = bytes.len().min(room);
        self.body.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn brotli(text: &[u8]) -> Vec<u8> {
        let mut encoded = Vec::new();
        brotli::CompressorWriter::new(&mut encoded, 4096, 5, 20)
            .write_all(text)
            .unwrap();
        encoded
    }

    fn decode(coding: &str, wire: &[u8], limit: usize) -> Result<Vec<u8>, DecodeError> {
        let mut decoder = Decoder::new(coding, limit)?;
        wire.chunks(1000)
            .try_for_each(|chunk| decoder.push(chunk))?;
        decoder.finish()
    }

    #[test]
    fn bodies_are_decoded() {
        let text = b"<p>fresh bread</p>".repeat(500);
        for (coding, wire) in [
            ("", text.clone()),
            ("GZIP", gzip(&text)),
            ("br", brotli(&text)),
        ] {
            assert_eq!(decode(coding, &wire, text.len()).unwrap(), text, "{coding}");
            assert!(
                matches!(
                    decode(coding, &wire, text.len() - 1),
                    Err(DecodeError::TooLarge(_))
                ),
                "{coding}"
            );
            assert_eq!(
                decode(coding, &[], 10).unwrap(),
                b"",
                "an empty body has no stream: {coding}"
            );
        }
        assert!(matches!(
            decode("zstd", b"x", 10),
            Err(DecodeError::UnknownCoding(_))
        ));
    }

    #[test]
    fn files_are_unpacked_as_streams() {
        let unpack = |file: &[u8], limit| {
            let mut text = Vec::new();
            unpack(file, limit)
                .read_to_end(&mut text)
                .map(|_| text)
                .map_err(|error| error.to_string())
        };
        let text = b"fresh bread ".repeat(500);
        assert_eq!(unpack(&gzip(&text), text.len()).unwrap(), text);
        assert_eq!(
            unpack(&gzip(&text), text.len() - 1).unwrap_err(),
            "is larger than 5999 bytes"
        );
        assert!(
            unpack(&gzip(&vec![0; 8 << 20]), 64 << 20)
                .unwrap_err()
                .starts_with("grew from ")
        );
        assert!(unpack(&gzip(&text)[..40], 64 << 20).is_err());
    }

    #[test]
    fn damaged_streams_are_refused() {
        let text: Vec<u8> = (0..20_000u32)
            .flat_map(|number| blake3::hash(&number.to_le_bytes()).as_bytes()[..4].to_vec())
            .collect();
        for (coding, wire) in [("gzip", gzip(&text)), ("br", brotli(&text))] {
            for wire in [&wire[..wire.len() / 2], b"not compressed at all"] {
                assert!(
                    matches!(decode(coding, wire, 1 << 20), Err(DecodeError::Broken(_))),
                    "{coding}"
                );
            }
        }
    }

    #[test]
    fn bombs_stop_early_d10() {
        for (coding, wire) in [
            ("gzip", gzip(&vec![0; 8 << 20])),
            ("br", brotli(&vec![0; 8 << 20])),
        ] {
            assert!(
                matches!(
                    decode(coding, &wire, 64 << 20),
                    Err(DecodeError::Bomb { .. })
                ),
                "{coding}"
            );
            assert!(
                matches!(
                    decode(coding, &wire, 1 << 20),
                    Err(DecodeError::TooLarge(_))
                ),
                "{coding}"
            );
        }
    }
}
