//! Bytes are looked for many at a time, which takes less than to stop at the first that counts.

/// How many are looked at together.
pub(crate) const TOGETHER: usize = 16;

/// Whether any byte is such a one.
pub(crate) fn has_byte(text: &[u8], is_it: impl Fn(u8) -> bool) -> bool {
    let (chunks, rest) = text.as_chunks::<TOGETHER>();
    let any = |bytes: &[u8]| bytes.iter().fold(false, |found, &byte| found | is_it(byte));
    chunks.iter().any(|chunk| any(chunk)) || any(rest)
}

/// Where the first such byte stands.
pub(crate) fn find_byte(text: &[u8], wanted: u8) -> Option<usize> {
    let (chunks, rest) = text.as_chunks::<TOGETHER>();
    let has_it = |chunk: &&[u8; TOGETHER]| chunk.iter().fold(false, |found, &byte| found | (byte == wanted));
    let before = chunks.iter().take_while(|chunk| !has_it(chunk)).count();
    let text = chunks.get(before).map_or(rest, |chunk| &chunk[..]);
    text.iter().position(|&byte| byte == wanted).map(|at| before * TOGETHER + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_bytes_is_found_wherever_it_stands() {
        for length in 0..50 {
            for at in 0..length {
                let mut text = vec![b'a'; length];
                assert_eq!((find_byte(&text, b'<'), has_byte(&text, |byte| byte == b'<')), (None, false));
                text[at..].fill(b'<');
                assert_eq!((find_byte(&text, b'<'), has_byte(&text, |byte| byte == b'<')), (Some(at), true));
            }
        }
    }
}
