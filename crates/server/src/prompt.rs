//! A connection whose first words must come soon.

use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

/// By so many bytes it is known which HTTP is spoken; from there on its own limits count.
const FIRST_WORDS: usize = 24;

/// The library waits without end for the bytes by which it tells HTTP/1 from HTTP/2.
pub(crate) struct Prompt {
    stream: TcpStream,
    missing: usize,
    deadline: Pin<Box<Sleep>>,
}

impl Prompt {
    pub(crate) fn new(stream: TcpStream, patience: Duration) -> Prompt {
        Prompt { stream, missing: FIRST_WORDS, deadline: Box::pin(tokio::time::sleep(patience)) }
    }
}

impl AsyncRead for Prompt {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.missing > 0 && self.deadline.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(ErrorKind::TimedOut.into()));
        }
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.missing = self.missing.saturating_sub(buffer.filled().len() - before);
        read
    }
}

impl AsyncWrite for Prompt {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
