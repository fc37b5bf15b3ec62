//! A hold: a temporary, exclusive claim on a set of places.

/// The state of a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldState {
    /// It has its places.
    Active,
    /// Its booking is being written.
    Confirming,
    /// It was sold.
    Confirmed,
    /// Its confirm was refused.
    Refused,
    /// Its owner gave it back.
    Released,
    /// It lapsed.
    Expired,
}

impl HoldState {
    const ALL: [HoldState; 6] = [
        HoldState::Active,
        HoldState::Confirming,
        HoldState::Confirmed,
        HoldState::Refused,
        HoldState::Released,
        HoldState::Expired,
    ];

    /// As the contract and Redis spell it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            HoldState::Active => "active",
            HoldState::Confirming => "confirming",
            HoldState::Confirmed => "confirmed",
            HoldState::Refused => "refused",
            HoldState::Released => "released",
            HoldState::Expired => "expired",
        }
    }

    /// The state of a stored text.
    #[must_use]
    pub fn parse(text: &str) -> Option<HoldState> {
        HoldState::ALL.into_iter().find(|state| state.as_str() == text)
    }

    /// Whether the hold has its places.
    #[must_use]
    pub fn is_live(self) -> bool {
        match self {
            HoldState::Active | HoldState::Confirming => true,
            HoldState::Confirmed | HoldState::Refused | HoldState::Released | HoldState::Expired => false,
        }
    }
}
