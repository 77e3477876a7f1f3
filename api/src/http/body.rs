//! The body of an answer.

use bytes::Bytes;
use futures::stream::BoxStream;
use http_body_util::{Either, Full, StreamBody};
use hyper::body::Frame;

/// The body of an answer: bytes, or a large file piece by piece.
pub type Body = Either<Full<Bytes>, StreamBody<BoxStream<'static, std::io::Result<Frame<Bytes>>>>>;
