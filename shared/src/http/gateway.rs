//! What API Gateway says of a request besides its method, headers and body: the route that it chose, and who calls. Its
//! payload has two formats, 1.0 and 2.0, which say it in different places.

use lambda_http::request::RequestContext;
use lambda_http::{Request, RequestExt};

use super::routes;

/// The key of the route that API Gateway chose, `GET /shows/{showId}`, and its id of the request. `None`: the event does
/// not say.
pub(crate) fn route_key_and_id(request: &Request) -> (Option<String>, Option<String>) {
    match request.request_context_ref() {
        Some(RequestContext::ApiGatewayV2(context)) => (context.route_key.clone(), context.request_id.clone()),
        Some(RequestContext::ApiGatewayV1(context)) => {
            let key = context.resource_path.as_ref().map(|path| format!("{} {path}", context.http_method));
            (key, context.request_id.clone())
        }
        _ => (None, None),
    }
}

/// The path of the route, `/shows/{showId}`; empty: there is no such route. What API Gateway chose counts, and not what
/// stands in the request's own path, before which there may be a stage or a custom domain's mapping.
pub(crate) fn route(request: &Request) -> &'static str {
    let (key, _) = route_key_and_id(request);
    let chosen = key.as_deref().and_then(|key| routes::path_of(key.split_once(' ')?.1));
    chosen.or_else(|| paths(request).find_map(routes::pattern_of)).unwrap_or_default()
}

/// The methods of a request's path; empty: there is no such path.
pub(crate) fn methods(request: &Request) -> Vec<&'static str> {
    let mut paths = paths(request);
    let own = paths.next().map(routes::methods_of).unwrap_or_default();
    // What only looks like a route because of its beginning would have been sent there.
    let is_missed = |methods: &Vec<&str>| !methods.is_empty() && !methods.contains(&request.method().as_str());
    if own.is_empty() { paths.map(routes::methods_of).find(is_missed).unwrap_or_default() } else { own }
}

/// The path without its stage. On a custom domain, which may map anything, then also without its first segment, its first
/// two, and so on.
fn paths(request: &Request) -> impl Iterator<Item = &str> {
    let path = request.raw_http_path();
    let Whereabouts { stage, domain, api } = Whereabouts::of(request);
    let without_stage = path.strip_prefix('/').and_then(|path| path.strip_prefix(stage?));
    let path = without_stage.filter(|rest| rest.starts_with('/')).unwrap_or(path);
    let is_custom = domain.zip(api).is_some_and(|(domain, api)| domain.split('.').next() != Some(api));
    std::iter::successors(Some(path), move |path| without_first_segment(path).filter(|_| is_custom))
}

fn without_first_segment(path: &str) -> Option<&str> {
    let rest = path.strip_prefix('/')?;
    rest.get(rest.find('/')?..)
}

/// Where a request came in.
#[derive(Default)]
struct Whereabouts<'a> {
    stage: Option<&'a str>,
    domain: Option<&'a str>,
    api: Option<&'a str>,
}

impl<'a> Whereabouts<'a> {
    fn of(request: &'a Request) -> Self {
        let (stage, domain, api) = match request.request_context_ref() {
            Some(RequestContext::ApiGatewayV2(context)) => (&context.stage, &context.domain_name, &context.apiid),
            Some(RequestContext::ApiGatewayV1(context)) => (&context.stage, &context.domain_name, &context.apiid),
            _ => return Self::default(),
        };
        Self { stage: stage.as_deref(), domain: domain.as_deref(), api: api.as_deref() }
    }
}

/// Whether API Gateway has verified that the caller signed with IAM, and that a policy lets the caller use this route.
pub(crate) fn is_signed(request: &Request) -> bool {
    match request.request_context_ref() {
        Some(RequestContext::ApiGatewayV2(context)) => {
            context.authorizer.as_ref().is_some_and(|authorizer| authorizer.iam.is_some())
        }
        Some(RequestContext::ApiGatewayV1(context)) => context.identity.user_arn.is_some(),
        _ => false,
    }
}

/// What the JWT authorizer says of the caller.
pub(crate) struct Jwt<'a> {
    /// The `sub` claim.
    pub subject: Option<&'a str>,
    scopes: Vec<&'a str>,
}

impl<'a> Jwt<'a> {
    /// `None`: the route has no JWT authorizer.
    pub fn of(request: &'a Request) -> Option<Self> {
        let authorizer = request.request_context_ref()?.authorizer()?;
        if let Some(jwt) = &authorizer.jwt {
            let claim = |name: &str| jwt.claims.get(name).map(String::as_str);
            return Some(Self::new(claim, jwt.scopes.iter().flatten().map(String::as_str)));
        }
        // Payload 1.0 has both beside each other, and `null` where there is no authorizer. A Lambda authorizer's own
        // words, which 2.0 keeps apart, are no claims.
        let Some(RequestContext::ApiGatewayV1(_)) = request.request_context_ref() else { return None };
        let claims = authorizer.fields.get("claims")?.as_object()?;
        let scopes = authorizer.fields.get("scopes").and_then(|scopes| scopes.as_array());
        let scopes = scopes.into_iter().flatten().filter_map(|scope| scope.as_str());
        Some(Self::new(|name| claims.get(name).and_then(|claim| claim.as_str()), scopes))
    }

    /// Scopes stand in `scope` or `scp`, as API Gateway reads them: a text with spaces between, or a list, which it turns into
    /// `[a b]`.
    fn new(claim: impl Fn(&str) -> Option<&'a str>, scopes: impl Iterator<Item = &'a str>) -> Self {
        let claimed = ["scope", "scp"].into_iter().filter_map(&claim);
        let claimed = claimed.flat_map(|scopes| scopes.trim_matches(['[', ']']).split([' ', ',']));
        Self { subject: claim("sub"), scopes: scopes.chain(claimed).collect() }
    }

    /// Whether the token has this scope.
    pub fn has_scope(&self, wanted: &str) -> bool {
        self.scopes.contains(&wanted)
    }
}
