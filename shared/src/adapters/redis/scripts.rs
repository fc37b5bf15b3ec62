//! The scripts of `lua/`, with the signatures that their headers repeat (a test compares them), and the one way to call
//! them. The file of a script, its constant here and the operation that calls it have one name.

use std::sync::LazyLock;

use super::codes::Code::{self, *};

/// The number of the layout that shows have in Redis: of all keys of a show, and of what its scripts are answered. A
/// script refuses a show that was loaded under another one. `lua/lib/format.lua` and `lua/hold.lua` have it, too.
pub const FORMAT: &str = "1";

const CHECKED: &str = include_str!("../../../../lua/lib/format.lua");
const PLACES: &str = include_str!("../../../../lua/lib/places.lua");

/// A script: its source as it is sent, the SHA-1 of that, and its signature.
pub struct Script {
    /// The file's name without `.lua`.
    pub name: &'static str,
    /// What is sent to Redis: the file, after the libraries that it uses.
    pub source: String,
    /// The hexadecimal SHA-1 of the source, as `EVALSHA` takes it.
    pub sha1: String,
    /// KEYS, as the header names them.
    pub keys: &'static str,
    /// ARGV, as the header names them, without the units in parentheses.
    pub args: &'static str,
    /// The codes, in order of precedence.
    pub codes: &'static [Code],
    /// What its answer consists of, as the header names it.
    pub reply: Vec<&'static str>,
}

impl Script {
    fn new(
        name: &'static str,
        file: &'static str,
        libraries: &[&str],
        keys: &'static str,
        args: &'static str,
        codes: &'static [Code],
    ) -> Script {
        let source = match file.split_once('\n') {
            // `#!lua`, with which every script begins, must stay the first line.
            Some((shebang, rest)) => format!("{shebang}\n{}\n{rest}", libraries.concat()),
            None => file.to_owned(),
        };
        let sha1 = redis::Script::new(&source).get_hash().to_owned();
        let reply = file.lines().find_map(|line| line.strip_prefix("-- Reply: ")).unwrap_or_default();
        let reply = reply.split(", ").filter_map(|field| field.split_ascii_whitespace().next()).collect();
        Script { name, source, sha1, keys, args, codes, reply }
    }

    /// How many places these arguments are about, if the signature has places, or how many of them.
    pub(super) fn places(&self, args: &[&str]) -> Option<usize> {
        let mut names = self.args.rsplit(", ");
        match names.next() {
            Some("place..." | "seat...") => args.len().checked_sub(names.count()),
            Some("quantity") => args.last()?.parse().ok(),
            _ => None,
        }
    }
}

macro_rules! scripts {
    ($($id:ident $name:literal $(with $($library:ident)+)? ($keys:literal) ($args:literal) [$($code:ident),*];)*) => {
        $(
            #[doc = concat!("`lua/", $name, ".lua`")]
            pub static $id: LazyLock<Script> = LazyLock::new(|| {
                let file = include_str!(concat!("../../../../lua/", $name, ".lua"));
                Script::new($name, file, &[$($($library),+)?], $keys, $args, &[$($code),*])
            });
        )*

        /// All scripts.
        #[must_use]
        pub fn all() -> Vec<&'static Script> {
            vec![$(&*$id),*]
        }
    };
}

scripts! {
    HOLD "hold"
        ("show, seats, held, events, hold..., seat-hold...")
        ("token, epoch, ttl_ms, buyer, request, hold_count, seat...")
        [NotLoaded, OtherEpoch, Mismatch, HoldLost, Ok, TtlTooLong, Closing, UnknownPlace, NotOnSale, LimitExceeded, Unavailable];
    HOLD_STATUS "hold_status" with CHECKED
        ("show, hold")
        ("")
        [NotLoaded, HoldLost, Ok];
    EXTEND "extend" with CHECKED PLACES
        ("show, hold, held, events, place-keys...")
        ("token, ttl_ms, zone, place...")
        [NotLoaded, TtlTooLong, InProgress, HoldLost, ExtendLimit, Ok];
    RELEASE "release" with CHECKED PLACES
        ("show, hold, held, events, place-keys...")
        ("token, zone, place...")
        [NotLoaded, Ok, InProgress, HoldLost];
    PIN "pin" with CHECKED PLACES
        ("show, hold, held, events, confirming, place-keys...")
        ("token, pin_ms, payment, order, buyer, restores, zone, place...")
        [NotLoaded, HoldLost, Decided, OtherPlaces, InProgress, Closing, Again, Ok];
    MARK "mark" with CHECKED PLACES
        ("show, hold, held, events, confirming, booking, place-keys...")
        ("buyer_booking, version, token, outcome, hold_booking, recorded, sold_count, zone, place...")
        [NotLoaded, Ok];
    FREE "free" with CHECKED PLACES
        ("show, hold, held, events, confirming, booking, place-keys...")
        ("booking, version, token, outcome, recorded, zone, place...")
        [NotLoaded, Ok];
    STOCK_DECREMENT "stock_decrement" with CHECKED PLACES
        ("show, held, events, stock, stock-next, stock-returned, stock-held, stock-holders, stock-sold, hold...")
        ("token, epoch, ttl_ms, buyer, request, zone, quantity")
        [NotLoaded, OtherEpoch, Mismatch, HoldLost, Ok, TtlTooLong, Closing, UnknownZone, NotOnSale, LimitExceeded, SoldOut, Again];
    STOCK_STATUS "stock_status" with CHECKED
        ("show, stock-held, stock-sold")
        ("zone")
        [NotLoaded, UnknownZone, Ok];
    LOAD_BEGIN "load_begin" with CHECKED
        ("show, load")
        ("owner, lease, version, turn_ms, lease_ms")
        [Loaded, Loading, Ok];
    LOAD_CHUNK "load_chunk"
        ("load, staging")
        ("owner, step, turn_ms, lease_ms, staging_ms, field and value...")
        [LeaseLost, Ok];
    LOAD_FINISH "load_finish" with CHECKED
        ("show, load, load-seats, seats, events, load-sold / stock-sold / stock / stock-next / stock-returned / stock-held / stock-holders...")
        ("owner, epoch, has_seats, zone_count, zone and capacity..., field and value of show...")
        [Loaded, LeaseLost, Ok];
    CLOSE_SEATS "close_seats" with CHECKED
        ("show, seats, held")
        ("version, mark, closing_ms, seat...")
        [NotLoaded, InProgress, InUse, Ok];
    CLOSE_ZONE "close_zone" with CHECKED
        ("show, stock, stock-next, stock-returned, stock-held, stock-holders, stock-sold")
        ("version, mark, closing_ms, zone, capacity")
        [NotLoaded, InProgress, InUse, Ok];
    APPLY_SEATS "apply_seats" with CHECKED
        ("show, seats")
        ("version, mark, seat...")
        [NotLoaded, Stale, Closing, Ok];
    APPLY_SHOW "apply_show" with CHECKED
        ("show, stock / stock-held / stock-sold...")
        ("version, mark, zone_count, zone and capacity..., field and value of show...")
        [NotLoaded, Stale, Closing, Ok];
    SURVEY "survey" with CHECKED
        ("show, seats, held, confirming")
        ("")
        [NotLoaded, Ok];
    PINNED "pinned" with CHECKED
        ("show, confirming")
        ("first, count")
        [NotLoaded, Ok];
    COMPARE "compare" with CHECKED PLACES
        ("show, place-keys...")
        ("zone, place...")
        [NotLoaded, Ok];
    SCAN "scan" with CHECKED
        ("show, fields")
        ("cursor, count")
        [NotLoaded, Ok];
    EXPIRE "expire" with CHECKED PLACES
        ("show, held, events, place-keys...")
        ("zone, from, limit, dry_run")
        [NotLoaded, Ok];
    RECOUNT "recount" with CHECKED PLACES
        ("show, held, events, stock, stock-next, stock-returned, stock-held, stock-holders, stock-sold")
        ("zone, first, last, dry_run")
        [NotLoaded, UnknownZone, Ok];
    READ_EVENTS "read_events" with CHECKED
        ("show, events")
        ("after, count")
        [NotLoaded, Ok];
    UNLOAD "unload" with CHECKED
        ("show, seats, held, confirming, events, stock / stock-next / stock-returned / stock-held / stock-holders / stock-sold...")
        ("epoch, last")
        [NotLoaded, Stale, InUse, Ok];
}
