//! A connection that fails when the other side takes nothing for too long, and whose end loses nothing; hyper has
//! neither limit nor patience of its own.
//!
//! Closing while bytes of the other side are unread resets a connection, and the last answer may be lost with it
//! (RFC 9112 section 9.6). So what still comes is thrown away for a while, until the other side closes too.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

use super::framing::Framing;

/// How much is thrown away at once.
const SCRAP: usize = 8 << 10;

/// A stream whose writes must get on.
pub(super) struct WriteTimeout<S> {
    stream: S,
    limit: Duration,
    linger: Duration,
    give_up: fn(&S),
    framing: Arc<Framing>,
    stalled: Option<Pin<Box<Sleep>>>,
    /// When to stop listening to a side that was told that nothing follows.
    lingering: Option<Pin<Box<Sleep>>>,
}

impl<S: AsyncWrite + Unpin> WriteTimeout<S> {
    /// Writes may stall up to `limit`, and the end may take up to `linger`; `give_up` is called before a write fails.
    /// `heads` gets what is read.
    pub(super) fn new(
        stream: S,
        limit: Duration,
        linger: Duration,
        give_up: fn(&S),
        framing: Arc<Framing>,
    ) -> Self {
        Self {
            stream,
            limit,
            linger,
            give_up,
            framing,
            stalled: None,
            lingering: None,
        }
    }

    /// Passes a result on, or fails if it has been pending for too long.
    fn watch<T>(
        &mut self,
        context: &mut Context<'_>,
        result: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if result.is_ready() {
            self.stalled = None;
            return result;
        }
        let limit = self.limit;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(limit)));
        ready!(stalled.as_mut().poll(context));
        stalled.as_mut().reset(Instant::now() + limit);
        (self.give_up)(&self.stream);
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> WriteTimeout<S> {
    /// Throws away what still comes, until the other side ends or `until` is over.
    fn discard(stream: &mut S, until: Pin<&mut Sleep>, context: &mut Context<'_>) -> Poll<()> {
        if until.poll(context).is_ready() {
            return Poll::Ready(());
        }
        let mut scrap = [std::mem::MaybeUninit::uninit(); SCRAP];
        loop {
            let mut buffer = ReadBuf::uninit(&mut scrap);
            let read = ready!(Pin::new(&mut *stream).poll_read(context, &mut buffer));
            if read.is_err() || buffer.filled().is_empty() {
                return Poll::Ready(());
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let result = Pin::new(&mut self.stream).poll_read(context, buffer);
        if result.is_ready() {
            self.framing.hear(&buffer.filled()[before..]);
        }
        result
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for WriteTimeout<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch(context, result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.watch(context, result)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.stream).poll_flush(context);
        self.watch(context, result)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.lingering.is_none() {
            let result = Pin::new(&mut self.stream).poll_shutdown(context);
            ready!(self.watch(context, result))?;
        }
        let Self {
            stream,
            linger,
            lingering,
            ..
        } = &mut *self;
        let until = lingering.get_or_insert_with(|| Box::pin(sleep(*linger)));
        ready!(Self::discard(stream, until.as_mut(), context));
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn side_that_takes_nothing_is_given_up() {
        let (ours, _theirs) = tokio::io::duplex(8);
        let mut stream = WriteTimeout::new(
            ours,
            Duration::from_secs(30),
            Duration::ZERO,
            |_| (),
            Arc::default(),
        );
        let started = Instant::now();
        let error = stream.write_all(&[0; 64]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(started.elapsed().as_secs(), 30);
    }
    #[tokio::test(start_paused = true)]
    async fn side_that_still_sends_is_heard_out_for_a_while() {
        let (ours, mut theirs) = tokio::io::duplex(8);
        let mut stream = WriteTimeout::new(
            ours,
            Duration::from_secs(30),
            Duration::from_secs(1),
            |_| (),
            Arc::default(),
        );
        let started = Instant::now();
        let (_, sent) = tokio::join!(stream.shutdown(), async {
            let sent = theirs.write_all(&[0; 100_000]).await;
            drop(theirs);
            sent
        });
        assert!(sent.is_ok() && started.elapsed().is_zero());
        let (ours, _silent) = tokio::io::duplex(8);
        let mut stream = WriteTimeout::new(
            ours,
            Duration::from_secs(30),
            Duration::from_secs(1),
            |_| (),
            Arc::default(),
        );
        stream.shutdown().await.unwrap();
        assert_eq!(started.elapsed().as_secs(), 1);
    }
}
