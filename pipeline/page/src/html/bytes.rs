//! Bytes are looked for many at a time, which takes less than to stop at the first that counts.

use std::borrow::Cow;

/// Bytes as text; what is no UTF-8 becomes U+FFFD. Nearly all bytes are text, and to know that takes less than to look for
/// what is none.
pub(crate) fn as_text(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// How many are looked at together.
const TOGETHER: usize = 16;

/// Whether any byte is such a one.
pub(crate) fn has_byte(text: &[u8], is_it: impl Fn(u8) -> bool) -> bool {
    let any = |bytes: &[u8]| bytes.iter().fold(false, |found, &byte| found | is_it(byte));
    // The last bytes are looked at together as well; some of them were before.
    match (
        text.last_chunk::<TOGETHER>(),
        text.first_chunk::<8>(),
        text.last_chunk::<8>(),
    ) {
        (Some(last), ..) => {
            text.as_chunks::<TOGETHER>()
                .0
                .iter()
                .any(|chunk| any(chunk))
                || any(last)
        }
        (None, Some(first), Some(last)) => any(first) | any(last),
        (None, ..) => any(text),
    }
}

/// Where the first such byte stands.
pub(crate) fn find_byte(text: &[u8], wanted: u8) -> Option<usize> {
    const ONES: u64 = u64::MAX / 255;
    let (chunks, rest) = text.as_chunks::<8>();
    for (index, chunk) in chunks.iter().enumerate() {
        // Of such bytes nothing is left; the lowest from which a borrow is needed is the first of them.
        let others = u64::from_le_bytes(*chunk) ^ (ONES * u64::from(wanted));
        let found = others.wrapping_sub(ONES) & !others & (ONES << 7);
        if found != 0 {
            return Some(index * 8 + found.trailing_zeros() as usize / 8);
        }
    }
    rest.iter()
        .position(|&byte| byte == wanted)
        .map(|at| text.len() - rest.len() + at)
}

/// From where on a byte may stand that is such a one by it and the next one: behind stretches that hold none. Behind the last
/// byte is 0.
#[inline]
pub(crate) fn pairs_from(text: &[u8], is_it: impl Fn(u8, u8) -> bool) -> usize {
    let nexts = text.get(1..).unwrap_or_default();
    let ones = &text[..nexts.len()];
    let any = |ones: &[u8; TOGETHER], nexts: &[u8; TOGETHER]| {
        ones.iter()
            .zip(nexts)
            .fold(false, |found, (&one, &next)| found | is_it(one, next))
    };
    let chunks = ones
        .as_chunks::<TOGETHER>()
        .0
        .iter()
        .zip(nexts.as_chunks::<TOGETHER>().0);
    let before = chunks
        .clone()
        .take_while(|(ones, nexts)| !any(ones, nexts))
        .count();
    match (ones.last_chunk(), nexts.last_chunk()) {
        (Some(last), Some(next)) if before == chunks.len() && !any(last, next) => ones.len(),
        _ => before * TOGETHER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_bytes_is_found_wherever_it_stands() {
        for length in 0..50 {
            for at in 0..length {
                let mut text = vec![b'a'; length];
                assert_eq!(
                    (find_byte(&text, b'<'), has_byte(&text, |byte| byte == b'<')),
                    (None, false)
                );
                text[at..].fill(b'<');
                assert_eq!(
                    (find_byte(&text, b'<'), has_byte(&text, |byte| byte == b'<')),
                    (Some(at), true)
                );
            }
        }
    }
}
