//! A proxy that refuses everything: what the browser sends past us ends here.

use std::net::{Ipv4Addr, SocketAddr};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

const REFUSAL: &[u8] = b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// The proxy; dropping it closes it.
pub(super) struct RefusingProxy {
    pub(super) address: SocketAddr,
    task: JoinHandle<()>,
}

impl RefusingProxy {
    pub(super) async fn open() -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let task = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                tokio::spawn(async move {
                    // What is asked does not matter, but an answer before the question is none.
                    let _ = stream.read(&mut [0; 1024]).await;
                    let _ = stream.write_all(REFUSAL).await;
                });
            }
        });
        Ok(Self { address, task })
    }
}

impl Drop for RefusingProxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}
