//! Cuts a stream of bytes into requests, or into replies.
//!
//! RESP is the same in both directions: a frame is a line, a line and a body of so many bytes, or a line and so many
//! frames. RESP 2 and 3 are both read. <https://redis.io/docs/latest/develop/reference/protocol-spec/>

/// Where a frame ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// Where RESP says.
    Resp,
    /// Where the chunk that was read ends: the best guess about a protocol that is not known.
    Chunks,
}

/// Collects bytes until they make a frame.
#[derive(Debug)]
pub(super) struct Frames {
    framing: Framing,
    buffer: Vec<u8>,
}

impl Frames {
    pub fn new(framing: Framing) -> Frames {
        Frames { framing, buffer: Vec::new() }
    }

    /// Takes what was read.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole frame.
    pub fn next(&mut self) -> Option<Vec<u8>> {
        let length = match self.framing {
            Framing::Chunks => (!self.buffer.is_empty()).then_some(self.buffer.len()),
            Framing::Resp => frame_length(&self.buffer),
        }?;
        Some(self.buffer.drain(..length).collect())
    }
}

/// A message that the server sends unasked (RESP 3): it answers no request.
pub(super) fn is_push(frame: &[u8]) -> bool {
    frame.first() == Some(&b'>')
}

/// The length of the first frame; `None` while it is not whole.
fn frame_length(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    // How many frames are still to be read: an aggregate adds its own.
    let mut missing = 1_usize;
    while missing > 0 {
        let line_end = at + bytes.get(at..)?.windows(2).position(|pair| pair == b"\r\n")?;
        let count = std::str::from_utf8(&bytes[at + 1..line_end]).ok().and_then(|text| text.parse::<i64>().ok());
        let count = usize::try_from(count.unwrap_or(0)).unwrap_or(0);
        let is_null = bytes.get(at + 1) == Some(&b'-');
        missing -= 1;
        let kind = bytes[at];
        at = line_end + 2;
        match kind {
            b'$' | b'=' | b'!' if !is_null => at += count + 2,
            b'*' | b'~' | b'>' => missing += count,
            b'%' => missing += 2 * count,
            // An attribute comes before the frame that it is about.
            b'|' => missing += 2 * count + 1,
            _ => {}
        }
    }
    (at <= bytes.len()).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_cut_wherever_the_chunks_end() {
        let wire = b"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n+OK\r\n$-1\r\n%1\r\n+a\r\n*2\r\n:1\r\n_\r\n>1\r\n+x\r\n*-1\r\n";
        let whole = [
            "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n",
            "+OK\r\n",
            "$-1\r\n",
            "%1\r\n+a\r\n*2\r\n:1\r\n_\r\n",
            ">1\r\n+x\r\n",
            "*-1\r\n",
        ];
        for chunk in 1..wire.len() {
            let mut frames = Frames::new(Framing::Resp);
            let mut got = Vec::new();
            for part in wire.chunks(chunk) {
                frames.push(part);
                got.extend(std::iter::from_fn(|| frames.next()));
            }
            assert_eq!(got, whole.map(|frame| frame.as_bytes().to_vec()), "in chunks of {chunk}");
        }
    }
}
