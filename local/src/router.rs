//! Which route a request takes, by API Gateway's rules: a literal segment goes before a parameter, and `$default`
//! gets what nobody else wants, whatever its method.

use http::Method;
use percent_encoding::percent_decode_str;

/// The key of the route that gets everything else.
const DEFAULT_KEY: &str = "$default";

/// A table of routes, each of which leads to a `T`.
#[derive(Debug)]
pub struct Router<T> {
    routes: Vec<Route<T>>,
    default: T,
}

#[derive(Debug)]
struct Route<T> {
    key: String,
    method: Method,
    segments: Vec<Segment>,
    target: T,
}

#[derive(Debug, PartialEq, Eq)]
enum Segment {
    Literal(String),
    Parameter(String),
}

/// The route of one request.
#[derive(Debug, PartialEq, Eq)]
pub struct Match<'a, T> {
    /// As in the template, `GET /shows/{showId}`.
    pub route_key: &'a str,
    /// Names and percent-decoded values, in the order of the path.
    pub parameters: Vec<(&'a str, String)>,
    /// Where the route leads.
    pub target: &'a T,
}

/// Why a table of routes cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum RouteError {
    /// Not `METHOD /path`, or with something that only API Gateway knows.
    #[error("the route {0:?} is not understood")]
    NotUnderstood(String),
    /// Two routes take the same requests.
    #[error("the route {0:?} is there twice")]
    Twice(String),
    /// No route takes the rest, so 404 and 405 would not be ours.
    #[error("there is no $default route")]
    NoDefault,
}

impl<T> Router<T> {
    /// A router over pairs of route key and target.
    ///
    /// # Errors
    ///
    /// When a key is not understood or comes twice, or `$default` is missing.
    pub fn new(routes: impl IntoIterator<Item = (String, T)>) -> Result<Self, RouteError> {
        let mut table: Vec<Route<T>> = Vec::new();
        let mut default = None;
        for (key, target) in routes {
            if key == DEFAULT_KEY {
                if default.replace(target).is_some() {
                    return Err(RouteError::Twice(key));
                }
                continue;
            }
            let route = Route::parse(key, target)?;
            if table.iter().any(|other| other.takes_the_same(&route)) {
                return Err(RouteError::Twice(route.key));
            }
            table.push(route);
        }
        // Of two routes that match, the first one found wins: the one with its first literal further left.
        table.sort_by_key(|route| route.segments.iter().map(Segment::is_parameter).collect::<Vec<_>>());
        Ok(Self { routes: table, default: default.ok_or(RouteError::NoDefault)? })
    }

    /// The route that a request takes. `path` is as it was sent, percent-encoded.
    pub fn find(&self, method: &Method, path: &str) -> Match<'_, T> {
        self.routes
            .iter()
            .filter(|route| route.method == *method)
            .find_map(|route| {
                let parameters = route.parameters_of(path)?;
                Some(Match { route_key: &route.key, parameters, target: &route.target })
            })
            .unwrap_or(Match { route_key: DEFAULT_KEY, parameters: Vec::new(), target: &self.default })
    }
}

impl<T> Route<T> {
    fn parse(key: String, target: T) -> Result<Self, RouteError> {
        let parsed = key.split_once(" /").and_then(|(method, path)| {
            let segments = path.split('/').map(Segment::parse).collect::<Option<_>>()?;
            Some((method.parse().ok()?, segments))
        });
        match parsed {
            // ANY would need a second order of precedence, and no route of ours has it.
            Some((method, segments)) if method != "ANY" => Ok(Self { key, method, segments, target }),
            _ => Err(RouteError::NotUnderstood(key)),
        }
    }

    fn takes_the_same(&self, other: &Self) -> bool {
        let alike = |(one, two): (&Segment, &Segment)| one == two || (one.is_parameter() && two.is_parameter());
        self.method == other.method
            && self.segments.len() == other.segments.len()
            && self.segments.iter().zip(&other.segments).all(alike)
    }

    /// The parameters in `path`, if it is a path of this route.
    fn parameters_of(&self, path: &str) -> Option<Vec<(&str, String)>> {
        let mut parts = path.strip_prefix('/')?.split('/');
        let mut parameters = Vec::new();
        for segment in &self.segments {
            match (segment, parts.next()?) {
                (Segment::Literal(literal), part) if literal == part => {}
                (Segment::Parameter(name), part) if !part.is_empty() => {
                    parameters.push((name.as_str(), percent_decode_str(part).decode_utf8_lossy().into_owned()));
                }
                _ => return None,
            }
        }
        parts.next().is_none().then_some(parameters)
    }
}

impl Segment {
    fn parse(text: &str) -> Option<Self> {
        match text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
            Some(name) if name.chars().all(char::is_alphanumeric) => Some(Self::Parameter(name.to_owned())),
            None if !text.contains(['{', '}']) => Some(Self::Literal(text.to_owned())),
            _ => None,
        }
    }

    fn is_parameter(&self) -> bool {
        matches!(self, Self::Parameter(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn router(keys: &[&str]) -> Result<Router<String>, RouteError> {
        Router::new(keys.iter().map(|key| (key.to_string(), key.to_lowercase())))
    }

    #[test]
    fn finds_the_route_and_decodes_its_parameters() {
        let router = router(&["$default", "GET /a/{x}", "GET /a/{x}/b/{y}", "PUT /a/{x}"]).expect("good routes");
        let found = router.find(&Method::GET, "/a/1%2F%7B2/b/%E2%82%AC");
        assert_eq!(
            found,
            Match {
                route_key: "GET /a/{x}/b/{y}",
                parameters: vec![("x", "1/{2".to_owned()), ("y", "€".to_owned())],
                target: &"get /a/{x}/b/{y}".to_owned(),
            }
        );
        assert_eq!(router.find(&Method::PUT, "/a/1").route_key, "PUT /a/{x}");
    }

    #[test]
    fn default_gets_everything_else() {
        let router = router(&["$default", "GET /a/{x}"]).expect("good routes");
        let others = [(Method::HEAD, "/a/1"), (Method::OPTIONS, "*"), (Method::GET, "/a/"), (Method::GET, "/a/1/")];
        for (method, path) in others {
            assert_eq!(router.find(&method, path).route_key, "$default", "{method} {path}");
        }
    }

    #[test]
    fn a_literal_goes_before_a_parameter() {
        let router = router(&["$default", "GET /{x}/b", "GET /a/{y}", "GET /a/b"]).expect("good routes");
        assert_eq!(router.find(&Method::GET, "/a/b").route_key, "GET /a/b");
        assert_eq!(router.find(&Method::GET, "/a/c").route_key, "GET /a/{y}");
        assert_eq!(router.find(&Method::GET, "/c/b").route_key, "GET /{x}/b");
    }

    #[test]
    fn refuses_what_it_cannot_serve() {
        let refused = |keys: &[&str]| router(keys).expect_err("must be refused");
        for key in ["GET", "GET a", "ANY /a", "GET /{proxy+}", "GET /a{x}"] {
            assert_eq!(refused(&["$default", key]), RouteError::NotUnderstood(key.to_owned()));
        }
        assert_eq!(refused(&["GET /a/{x}", "GET /a/{y}"]), RouteError::Twice("GET /a/{y}".to_owned()));
        assert_eq!(refused(&["$default", "$default"]), RouteError::Twice("$default".to_owned()));
        assert_eq!(refused(&["GET /a"]), RouteError::NoDefault);
    }
}
