"""Hooks for scripts/schemathesis: the tokens of the callers, one more check, and the reports that are not faults."""

import base64
import json
import re
import zlib

import schemathesis
from schemathesis.openapi.checks import AuthScenario, IgnoredAuth, RejectedPositiveData, UndefinedContentType

# The faults that a 400 may name in a request that the schema allows: field, problem, and why the schema cannot say so.
BEYOND_SCHEMA = [
    (r"ttlSeconds", r"must be at most \d+ for this show", "the maximum is the show's own"),
    (r"cursor", r"must be the next of an earlier answer of this list", "a cursor is opaque"),
    (r"Idempotency-Key", r"must have at least 32 characters .*", "the minimum depends on whether X-User-Id is sent"),
    (r"orderId", r"cannot be there together with reference", "parameters cannot exclude each other"),
    (r"units\[\d+\]", r"must be a unit of zone .*", "the prefix is another field's value"),
    (r"showId", r"must be that of the path", "a body cannot refer to the path"),
    (r"sale\.closesAt", r"must be after opensAt", "a field cannot be compared with another one"),
    (r"hold\.\w+", r"must not be (above|below) \w+", "a field cannot be compared with another one"),
    (r"sections\[\d+\]\.rows\[\d+\]\.to", r"must not be below from", "a field cannot be compared with another one"),
    (r"(sections|zones)\[\d+\]\.id", r"is (there twice|duplicated)", "uniqueItems compares whole items"),
    (r"sections", r"seat \S+ (is|looks|would) .*", "a seat id is put together from three fields"),
    (r"sections", r"the show would have \d+ places, .*", "the number of places is a sum"),
    (r"startsAt|sale\.\w+", r"must be from 1970 to 9999", "the bounds are in UTC, the text may have an offset"),
]
# Fields of a show whose values must rise from the first to the last.
IN_ORDER = {
    "sale": ["opensAt", "closesAt"],
    "hold": ["defaultTtlSeconds", "maxTtlSeconds", "maxLifetimeSeconds"],
}


def token(role):
    """A token without a signature, which the local system does not verify."""
    claims = {"sub": role, "scope": {"seller": "holdfast/sell", "operator": "holdfast/operate"}[role]}
    parts = (base64.urlsafe_b64encode(json.dumps(part).encode()) for part in ({"alg": "none"}, claims))
    return ".".join([*(part.decode().rstrip("=") for part in parts), "none"])


def role(case):
    return case.operation.definition.raw["x-role"]


@schemathesis.auth(cache_by_key=lambda case, _: role(case)).apply_to(
    func=lambda context: context.operation.definition.raw["x-role"] in ("seller", "operator")
)
class TokenOfRole:
    """Sellers and operators send a token. Buyers need no token."""

    def get(self, case, context):
        return token(role(case))

    def set(self, case, data, context):
        case.headers = {**(case.headers or {}), "Authorization": f"Bearer {data}"}


@schemathesis.check
def documented_code(ctx, response, case):
    """The code of a problem is that of an example of its operation and status."""
    if response.status_code < 400 or b"urn:holdfast" not in response.content:
        return
    code = response.json()["code"]
    if code in ("not_found", "method_not_allowed"):
        return
    document = case.operation.schema.raw_schema

    def resolved(node):
        if "$ref" not in node:
            return node
        found = document
        for part in node["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        return found

    answers = case.operation.definition.raw["responses"]
    answer = resolved(answers.get(str(response.status_code), {}))
    examples = answer.get("content", {}).get("application/problem+json", {}).get("examples", {})
    codes = {resolved(example)["value"]["code"] for example in examples.values()}
    assert code in codes, f"{code} is no example of {response.status_code} of {case.operation.label}: {codes}"


@schemathesis.hook
def map_case(context, case):
    """Makes more of the requests that the schema allows acceptable, so that fewer end at what it cannot say."""
    if not case.meta.generation.mode.is_positive:
        return case
    if len((case.headers or {}).get("Idempotency-Key", "x" * 32)) < 32:
        case.headers.setdefault("X-User-Id", "ann")
    if isinstance(case.body, dict):
        body = plain_integers(case.body)
        if case.method == "PUT":
            body = acceptable_show(body, case.path_parameters["showId"])
        case.body = acceptable_request(body)
    return case


def plain_integers(value):
    """The same JSON, without the 2.0 that JSON Schema counts as an integer."""
    if isinstance(value, dict):
        return {name: plain_integers(of) for name, of in value.items()}
    if isinstance(value, list):
        return [plain_integers(of) for of in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def acceptable_request(body):
    """The request with a TTL that shows allow by default, units of its zone and, half of the time, seats that exist."""
    if isinstance(body.get("ttlSeconds"), int):
        body["ttlSeconds"] = body["ttlSeconds"] % 900 or 900
    if "seats" in body and zlib.crc32(repr(body).encode()) % 2:
        numbers = {zlib.crc32(seat.encode()) % 20 + 1 for seat in body["seats"]}
        body["seats"] = [f"E{number}" for number in sorted(numbers)]
    if "zone" in body and "units" in body:
        body["units"] = [f"{body['zone']}-{number}" for number in range(1, len(body["units"]) + 1)]
    return body


def acceptable_show(show, show_id):
    """The show with its fields in order and its ids unique."""
    if "showId" in show:
        show["showId"] = show_id
    for name, fields in IN_ORDER.items():
        given = [field for field in fields if field in show.get(name, {})]
        for field, value in zip(given, sorted(show[name][field] for field in given)):
            show[name][field] = value
    for number, section in enumerate(show.get("sections", [])):
        section["id"] = f"{section['id'][:60]}-{number}"
        for at, row in enumerate(section["rows"]):
            row["from"], row["to"] = sorted([row["from"], min(row["to"], row["from"] + 50)])
            row["id"] = f"{row['id'][:8]}.{number}.{at}-"
    for number, zone in enumerate(show.get("zones", [])):
        zone["id"] = f"{zone['id'][:60]}-{number}"
        zone["capacity"] = min(zone["capacity"], 10_000)
    return show


def is_beyond_schema(fault, case):
    field, problem = fault["field"], fault["problem"]
    if any(re.fullmatch(at, field) and re.fullmatch(text, problem) for at, text, _ in BEYOND_SCHEMA):
        return True
    # JSON Schema counts 2.0 as an integer. The server does not, and openapi.yaml says so in words.
    if re.match("must be an integer", problem) and isinstance(case.body, dict):
        value = case.body
        for name, index in re.findall(r"(\w+)|\[(\d+)\]", field):
            value = value[int(index)] if index else value[name]
        return isinstance(value, float) and value.is_integer()
    return False


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Whether a report stays."""
    # Requests of more than 1 MB do not reach the functions: API Gateway's own answer, which the local system imitates.
    if isinstance(failure, UndefinedContentType) and response.content == b'{"message":"Request Too Long"}':
        return False
    # The local system verifies no credentials; API Gateway does.
    if isinstance(failure, IgnoredAuth) and failure.scenario != AuthScenario.NO_AUTH:
        return False
    if isinstance(failure, RejectedPositiveData) and response.status_code == 400:
        return not all(is_beyond_schema(fault, case) for fault in response.json()["errors"])
    return True
