//! The slots of a cluster, and what its nodes say of who has them.

use redis::{ErrorKind, RedisError, RedisResult, Value};

/// How many slots there are.
const SLOTS: u16 = 16_384;

/// A server's host and port.
pub type Address = (String, u16);

/// Slots that one master has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first one.
    pub first: u16,
    /// The last one.
    pub last: u16,
    /// Who has them.
    pub master: Address,
    /// Who may have them next.
    pub replicas: Vec<Address>,
}

/// The slot of a key: of its hash tag, if it has one.
pub fn slot_of(key: &str) -> u16 {
    let tag = key.split_once('{').and_then(|(_, rest)| rest.split_once('}')).map(|(tag, _)| tag);
    crc16(tag.filter(|tag| !tag.is_empty()).unwrap_or(key).as_bytes()) % SLOTS
}

/// CRC16/XMODEM, as the cluster's specification says.
fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc, byte| {
        (0..8).fold(
            crc ^ (u16::from(*byte) << 8),
            |crc, _| if crc & 0x8000 == 0 { crc << 1 } else { (crc << 1) ^ 0x1021 },
        )
    })
}

/// Where a redirection leads: `MOVED 3999 127.0.0.1:6381`. Without a host it is the one of whoever said so.
pub fn redirected(error: &RedisError, host: &str) -> Option<Address> {
    let (address, _) = error.redirect_node()?;
    let (named, port) = address.rsplit_once(':')?;
    Some((host_or(named, host), port.parse().ok()?))
}

/// The answer to `CLUSTER SLOTS` of a node that was reached at `host`.
pub fn parse(answer: Value, host: &str) -> RedisResult<Vec<Range>> {
    let ranges =
        array(answer).and_then(|ranges| ranges.into_iter().map(|one| range(one, host)).collect::<Option<Vec<_>>>());
    // A node that is in no cluster says that there are none.
    ranges
        .filter(|ranges| !ranges.is_empty())
        .ok_or_else(|| RedisError::from((ErrorKind::Parse, "CLUSTER SLOTS was answered something else")))
}

fn range(value: Value, host: &str) -> Option<Range> {
    let mut parts = array(value)?.into_iter();
    let (first, last) = (number(parts.next()?)?, number(parts.next()?)?);
    let mut nodes = parts.map(|node| address(node, host)).collect::<Option<Vec<_>>>()?.into_iter();
    Some(Range { first, last, master: nodes.next()?, replicas: nodes.collect() })
}

fn address(value: Value, host: &str) -> Option<Address> {
    let mut parts = array(value)?.into_iter();
    let (named, port) = (parts.next()?, number(parts.next()?)?);
    let named = match named {
        // It does not know its own name, and says so, or has none at all.
        Value::Nil => String::new(),
        named => text(named)?,
    };
    if named == "?" {
        // Then its address is said besides: ["ip", "10.0.0.7"].
        let besides = parts.nth(1).and_then(array).unwrap_or_default().into_iter().filter_map(text).collect::<Vec<_>>();
        let address = besides.chunks_exact(2).find_map(|pair| match pair {
            [name, address] if name == "ip" => Some(address.clone()),
            _ => None,
        });
        return Some((address.unwrap_or_else(|| host.to_owned()), port));
    }
    Some((host_or(&named, host), port))
}

fn host_or(named: &str, host: &str) -> String {
    if named.is_empty() || named == "?" { host } else { named }.to_owned()
}

fn text(value: Value) -> Option<String> {
    match value {
        Value::BulkString(bytes) => String::from_utf8(bytes).ok(),
        Value::SimpleString(text) => Some(text),
        _ => None,
    }
}

fn array(value: Value) -> Option<Vec<Value>> {
    if let Value::Array(values) = value { Some(values) } else { None }
}

fn number(value: Value) -> Option<u16> {
    if let Value::Int(number) = value { number.try_into().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_what_the_specification_says() {
        assert_eq!(crc16(b"123456789"), 0x31C3);
        // As a server answers to CLUSTER KEYSLOT.
        for (key, slot) in
            [("foo", 12_182), ("bar", 5_061), ("seats:{foo}", 12_182), ("{}foo", 9_500), ("{foo}{bar}", 12_182)]
        {
            assert_eq!(slot_of(key), slot, "{key}");
        }
    }

    #[test]
    fn a_node_without_a_name_is_at_the_host_that_was_asked() -> RedisResult<()> {
        let node = |host: Value| Value::Array(vec![host, Value::Int(7000), Value::BulkString(b"id".to_vec())]);
        let named = node(Value::BulkString(b"b".to_vec()));
        for nameless in [Value::Nil, Value::BulkString(Vec::new()), Value::BulkString(b"?".to_vec())] {
            let range = Value::Array(vec![Value::Int(0), Value::Int(9), node(nameless), named.clone()]);
            let (master, replicas) = (("a".to_owned(), 7000), vec![("b".to_owned(), 7000)]);
            assert_eq!(parse(Value::Array(vec![range]), "a")?, [Range { first: 0, last: 9, master, replicas }]);
        }
        Ok(())
    }

    #[test]
    fn a_node_that_does_not_know_its_name_is_at_its_address() -> RedisResult<()> {
        let text = |text: &str| Value::BulkString(text.as_bytes().to_vec());
        let besides = Value::Array(vec![text("ip"), text("10.0.0.7")]);
        let node = Value::Array(vec![text("?"), Value::Int(7000), text("id"), besides]);
        let range = Value::Array(vec![Value::Int(0), Value::Int(9), node]);
        assert_eq!(
            parse(Value::Array(vec![range]), "a")?.first().map(|range| range.master.clone()),
            Some(("10.0.0.7".to_owned(), 7000))
        );
        Ok(())
    }

    #[test]
    fn what_is_no_list_of_slots_is_an_error() {
        let odd = Value::Array(vec![Value::Int(-1), Value::Int(9)]);
        for answer in [Value::Nil, Value::Array(Vec::new()), Value::Array(vec![Value::Int(1)]), Value::Array(vec![odd])]
        {
            assert!(parse(answer.clone(), "a").is_err(), "{answer:?}");
        }
    }
}
