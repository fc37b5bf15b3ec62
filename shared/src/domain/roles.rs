//! What a caller may do. Everyone is a buyer.

/// The roles of a caller, besides buyer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Roles {
    /// The shop's own backend, which has verified the payment: it confirms and cancels.
    pub seller: bool,
    /// Runs the sale. It may do all that a seller may.
    pub operator: bool,
}

impl Roles {
    /// A buyer, and nothing else.
    pub const BUYER: Roles = Roles { seller: false, operator: false };
    /// Every role.
    pub const ALL: Roles = Roles { seller: true, operator: true };

    /// Parses a comma list of `buyer`, `seller` and `operator`; `None` for anything else.
    #[must_use]
    pub fn parse(list: &str) -> Option<Roles> {
        list.split(',').try_fold(Roles::BUYER, |roles, role| match role.trim() {
            "buyer" => Some(roles),
            "seller" => Some(Roles { seller: true, ..roles }),
            "operator" => Some(Roles { operator: true, ..roles }),
            _ => None,
        })
    }

    /// Whether the caller may do what is for sellers.
    #[must_use]
    pub fn may_sell(self) -> bool {
        self.seller || self.operator
    }
}
