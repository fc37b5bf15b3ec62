//! The routes that there are: what `fallback` tells a caller who missed, and what a test compares with `template.yaml`.

/// Method and path of every route.
pub const ROUTES: [(&str, &str); 16] = [
    ("GET", "/shows"),
    ("PUT", "/shows/{showId}"),
    ("GET", "/shows/{showId}"),
    ("POST", "/shows/{showId}/holds"),
    ("GET", "/shows/{showId}/holds/{holdToken}"),
    ("PATCH", "/shows/{showId}/holds/{holdToken}"),
    ("DELETE", "/shows/{showId}/holds/{holdToken}"),
    ("POST", "/shows/{showId}/holds/{holdToken}/confirm"),
    ("POST", "/shows/{showId}/stock/{zoneId}/decrement"),
    ("GET", "/shows/{showId}/stock/{zoneId}"),
    ("GET", "/bookings/{bookingId}"),
    ("POST", "/bookings/{bookingId}/cancel"),
    ("POST", "/bookings/{bookingId}/restore"),
    ("GET", "/shows/{showId}/bookings"),
    ("GET", "/refunds"),
    ("POST", "/refunds/{refundId}/settle"),
];

/// The methods of a path, in the order of [`ROUTES`]; empty: there is no such path.
#[must_use]
pub fn methods_of(path: &str) -> Vec<&'static str> {
    ROUTES.iter().filter(|(_, pattern)| matches(pattern, path)).map(|(method, _)| *method).collect()
}

/// The path of [`ROUTES`] that a request's path is of: `/shows/{showId}` of `/shows/42`.
#[must_use]
pub fn pattern_of(path: &str) -> Option<&'static str> {
    ROUTES.iter().map(|(_, pattern)| *pattern).find(|pattern| matches(pattern, path))
}

/// The same path, if it is one of [`ROUTES`].
#[must_use]
pub fn path_of(pattern: &str) -> Option<&'static str> {
    ROUTES.iter().map(|(_, path)| *path).find(|path| *path == pattern)
}

fn matches(pattern: &str, path: &str) -> bool {
    let (mut wanted, mut given) = (pattern.split('/'), path.split('/'));
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return true,
            (Some(wanted), Some(given)) if wanted.starts_with('{') && !given.is_empty() || wanted == given => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_its_methods() {
        assert_eq!(methods_of("/shows/42"), ["PUT", "GET"]);
        assert_eq!(methods_of("/shows/42/holds"), ["POST"]);
        assert_eq!(methods_of("/shows/42/holds/x"), ["GET", "PATCH", "DELETE"]);
        for none in ["", "/", "/shows/", "/shows//holds", "/refunds/pay_1", "/shows/42/", "/bookings/1/2"] {
            assert!(methods_of(none).is_empty(), "{none}");
        }
    }
}
