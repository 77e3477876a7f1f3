//! One page in another language, for looking at: fetched, translated and rendered, not published.
//!
//! A page of one of the sites that are given is read from that site's source, with its translators' words and its
//! memory; any other page is fetched from where it is. Whoever asks gives the sites whose pages they may have, so a site
//! that is not given is nobody special. Each hop is checked like the first: the host against
//! `allow_hosts`, the address that is connected to against private networks. Links are made absolute, so the page
//! looks right wherever it is shown. Nothing is remembered: what a stranger wants to see teaches no site's memory.
//!
//! A page that is looked into takes some ten times its size in memory. So it is looked into twice, for its texts and to be
//! rendered, and only its bytes are there while it is fetched and while engines work. Looking into it keeps a thread busy and
//! never waits: whoever makes many previews on one thread has one such page in memory at a time.

mod fault;
mod localize;
mod previewer;
mod source;
mod texts;
mod wanted;

pub use fault::PreviewFault;
pub use localize::{AS_XML, PagePreview, Stages, UntranslatedText, WITHOUT_SCRIPTS};
pub use previewer::Previewer;
pub use source::{host_of, own_site};
pub use wanted::PreviewRequest;

#[cfg(test)]
mod tests;
