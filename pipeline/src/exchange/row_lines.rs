//! Files of rows in the object store: compressed lines of JSON, of which the first one says what the others are.

use std::io::{self, BufRead, BufReader, BufWriter, IntoInnerError, Write};

use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A problem with the bytes of a file.
#[derive(Debug, thiserror::Error)]
pub enum RowLinesError {
    /// The file lacks even the first line.
    #[error("it is empty")]
    Empty,
    /// The file is not compressed, or ends too early.
    #[error(transparent)]
    Unpack(#[from] io::Error),
    /// A line has another form.
    #[error(transparent)]
    Line(#[from] serde_json::Error),
    /// This version does not know the form of the file.
    #[error("a newer version of Latimer wrote it (form {0}); update Latimer")]
    Newer(u32),
}

/// Writer of a file. Equal rows give equal bytes.
pub(crate) struct RowWriter {
    lines: BufWriter<GzEncoder<Vec<u8>>>,
}

impl RowWriter {
    pub(crate) fn new(head: &impl Serialize) -> io::Result<Self> {
        let compressed = GzBuilder::new()
            .mtime(0)
            .write(Vec::new(), Compression::fast());
        // A compressor clears its buffer for each write, even of one letter.
        let mut writer = Self {
            lines: BufWriter::with_capacity(1 << 16, compressed),
        };
        writer.push(head)?;
        Ok(writer)
    }

    pub(crate) fn push(&mut self, row: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.lines, row)?;
        self.lines.write_all(b"\n")
    }

    /// The file's bytes.
    pub(crate) fn finish(self) -> io::Result<Vec<u8>> {
        let compressed = self.lines.into_inner();
        compressed.map_err(IntoInnerError::into_error)?.finish()
    }
}

/// Reader of a file, line by line.
pub(crate) struct RowReader<'b> {
    lines: io::Split<BufReader<GzDecoder<&'b [u8]>>>,
}

impl<'b> RowReader<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self {
            lines: BufReader::new(GzDecoder::new(bytes)).split(b'\n'),
        }
    }

    /// The first line.
    pub(crate) fn head<H: DeserializeOwned>(&mut self) -> Result<H, RowLinesError> {
        self.next_row()?.ok_or(RowLinesError::Empty)
    }

    /// The next line; `None` at the end.
    pub(crate) fn next_row<R: DeserializeOwned>(&mut self) -> Result<Option<R>, RowLinesError> {
        let Some(line) = self.lines.next() else {
            return Ok(None);
        };
        Ok(Some(serde_json::from_slice(&line?)?))
    }
}

/// Refuses the form of a file that a newer version wrote.
pub(crate) fn check_form(form: u32, known: u32) -> Result<(), RowLinesError> {
    if form > known {
        return Err(RowLinesError::Newer(form));
    }
    Ok(())
}
