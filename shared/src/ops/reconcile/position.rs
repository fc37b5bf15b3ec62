//! Where a run over all shows stopped, so that the next one goes on there.

use crate::domain::ShowId;
use crate::domain::places::SHARDS;

/// Where a run over all shows is: a shard of the list, a show in it, and how much of that was compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Position {
    /// A shard of the list of shows.
    pub shard: u8,
    /// A show in it; `None`: from its beginning.
    pub show: Option<ShowId>,
    /// How many shards of that show's places were compared.
    pub compared: u8,
}

impl Position {
    /// As the lease keeps it.
    pub fn stored(&self) -> String {
        let show = self.show.as_ref().map_or("", ShowId::as_str);
        format!("{} {} {show}", self.shard, self.compared)
    }

    /// What is no position is the beginning.
    pub fn parse(text: &str) -> Position {
        let mut words = text.split(' ');
        let mut number = || words.next().and_then(|word| word.parse().ok()).filter(|shard| *shard < SHARDS);
        let (Some(shard), Some(compared)) = (number(), number()) else { return Position::default() };
        Position { shard, show: words.next().and_then(|show| ShowId::parse(show).ok()), compared }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_survives_its_stored_form() -> Result<(), &'static str> {
        for position in [
            Position::default(),
            Position { shard: 63, show: Some(ShowId::parse("42")?), compared: 17 },
            Position { shard: 5, show: None, compared: 0 },
        ] {
            assert_eq!(Position::parse(&position.stored()), position);
        }
        for none in ["", "64 0 42", "0 64 42", "x", "1"] {
            assert_eq!(Position::parse(none), Position::default(), "{none}");
        }
        Ok(())
    }
}
