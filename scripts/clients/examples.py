"""Provokes the answers that are examples in openapi.yaml from the system at the URL in the first argument, and compares
both. Identifiers, references, instants and remaining times differ from run to run: only their form is compared."""

import base64
import copy
import datetime
import json
import pathlib
import re
import sys
import uuid

import httpx
from ruamel.yaml import YAML

OPENAPI = YAML(typ="safe").load(pathlib.Path(__file__).parents[2] / "openapi.yaml")
EXAMPLES = {name: example["value"] for name, example in OPENAPI["components"]["examples"].items()}
EXAMPLES |= {example["code"]: example for example in OPENAPI["components"]["schemas"]["Problem"]["examples"]}
# No caller can provoke these in a healthy system. The tests of the functions cover them.
UNPROVOKED = {"InProgress", "Internal", "RefundInUse", "SeatAlreadySold", "Unavailable"}
# With CONFIRM_BY=buyers the first one cannot be provoked, otherwise the other ones.
BY_SELLERS, BY_BUYERS = {"ForbiddenForBuyers"}, {"ForbiddenMoney", "ForbiddenPaid"}
FORMS = {
    "requestId|reference|showId|next": r".+",
    "holdToken|bookingId|refundId": r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    ".*At": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z",
    ".*InMs": r"\d+",
}
client = httpx.Client(base_url=sys.argv[1])
seen, faults = set(), []


def differences(example, found, at=""):
    """Where an answer differs from its example."""
    if isinstance(example, dict) and isinstance(found, dict) and example.keys() == found.keys():
        return [text for key in example for text in differences(example[key], found[key], f"{at}.{key}")]
    if isinstance(example, list) and isinstance(found, list) and len(example) == len(found):
        return [text for i, (a, b) in enumerate(zip(example, found)) for text in differences(a, b, f"{at}[{i}]")]
    for names, form in FORMS.items():
        if re.fullmatch(names, at.rpartition(".")[2]) and type(example) is type(found):
            return [] if re.fullmatch(form, str(found)) and re.fullmatch(form, str(example)) else [f"{at}: {found}"]
    return [] if example == found else [f"{at}: {found} instead of {example}"]


def is_true(name, answer, status):
    """Compares an answer with an example; gives its body."""
    body = answer if isinstance(answer, dict) else answer.json()
    seen.add(name)
    if not isinstance(answer, dict) and answer.status_code != status:
        faults.append(f"{name}: {answer.status_code} instead of {status}: {answer.text}")
    faults.extend(f"{name}{text}" for text in differences(EXAMPLES[name], body))
    return body


def token(**claims):
    """A token of these claims, without a signature, which the local system does not verify."""
    parts = (base64.urlsafe_b64encode(json.dumps(part).encode()) for part in ({"alg": "none"}, claims))
    return "Bearer " + ".".join([*(part.decode().rstrip("=") for part in parts), "none"])


ROLES = {
    "buyer": token(sub=str(uuid.uuid4())),
    "seller": token(sub="shop", scope="holdfast/sell"),
    "operator": token(sub="staff", scope="holdfast/operate"),
}


def call(role, method, path, body=None, **headers):
    headers = {"Authorization": ROLES[role]} | {name.replace("_", "-"): value for name, value in headers.items()}
    return client.request(method, path, json=body, headers=headers)


def instant(days):
    return (datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")


def definition(**changed):
    """The example's show, on sale now."""
    sale = {"opensAt": instant(-1), "closesAt": instant(30)}
    return copy.deepcopy(EXAMPLES["ShowDefinition"]) | {"startsAt": instant(31), "sale": sale} | changed


def new_show(**changed):
    show = f"/shows/ex-{uuid.uuid4()}"
    assert call("operator", "PUT", show, definition(**changed)).status_code == 201
    return show


def hold(show, *seats, **headers):
    answer = call("buyer", "POST", f"{show}/holds", {"seats": seats}, **headers)
    assert answer.status_code == 201, answer.text
    return f"{show}/holds/{answer.json()['holdToken']}"


def paid(reference=None, **other):
    return {"payment": {"reference": reference or f"pay_{uuid.uuid4()}", "amount": "55000", "currency": "KRW"} | other}


def confirmed(*seats, body=None):
    """The hold, the payment and the booking of a new show."""
    held, body = hold(new_show(), *seats), paid() if body is None else body
    answer = call("seller", "POST", f"{held}/confirm", body)
    assert answer.status_code == 201, answer.text
    return held, body, f"/bookings/{answer.json()['bookingId']}"


def shows():
    show = f"/shows/ex-{uuid.uuid4()}"
    is_true("Show", call("operator", "PUT", show, definition()), 201)
    is_true("Show", call("buyer", "GET", show), 200)
    larger = definition(zones=[{"id": "GA", "capacity": 600}])
    is_true("ReplacedShow", call("operator", "PUT", show, larger), 200)
    is_true("VersionConflictNoShow", call("operator", "PUT", f"{show}-2", definition(version=5)), 409)
    is_true("ForbiddenForOthers", call("seller", "PUT", show, definition()), 403)
    is_true("ShowNotFound", call("buyer", "GET", f"{show}-2"), 404)
    show = new_show()
    hold(show, "E7")
    rows = [{"id": "E", "from": 1, "to": 6}, {"id": "E", "from": 8, "to": 20}]
    without = [{"id": "stalls", "rows": rows}, EXAMPLES["Show"]["sections"][1]]
    is_true("InUse", call("operator", "PUT", show, definition(sections=without)), 409)
    cursor, entry = "", None
    while entry is None:
        page = call("operator", "GET", f"/shows?limit=1{cursor}").json()
        entry = next((one for one in page["shows"] if show.endswith(one["showId"])), None)
        cursor = f"&cursor={page.get('next')}"
    is_true("ShowPage", {"shows": [entry], "next": page.get("next", EXAMPLES["ShowPage"]["next"])}, 200)


def holds():
    show, key = new_show(), {"Idempotency_Key": str(uuid.uuid4())}
    post = lambda body, **headers: call("buyer", "POST", f"{show}/holds", body, **headers)
    two = {"seats": ["E7", "E8"], "ttlSeconds": 300}
    held = f"{show}/holds/{is_true('HoldOfSeats', post(two, **key), 201)['holdToken']}"
    is_true("HoldOfSeats", call("buyer", "GET", held), 200)
    is_true("KeyMismatch", post({"seats": ["E7"]}, **key), 422)
    is_true("ExtendedHold", call("buyer", "PATCH", held, {"ttlSeconds": 600}), 200)
    is_true("InvalidRequest", call("buyer", "PATCH", held, {"ttlSeconds": 901}), 400)
    is_true("UnknownField", post({"seat": "E7"}), 400)
    is_true("UnknownSeat", post({"seats": ["E1", "Z1"]}), 404)
    is_true("LimitExceeded", post({"seats": [f"E{number}" for number in range(1, 12)]}), 409)
    is_true("PayloadTooLarge", client.post(f"{show}/holds", content=" " * 65_537), 413)
    is_true("UnsupportedMediaType", post({}, Content_Type="text/plain"), 415)
    assert call("buyer", "DELETE", held).status_code == 204
    is_true("HoldEndedReleased", post(two, **key), 409)
    is_true("HoldLost", call("buyer", "PATCH", held, {"ttlSeconds": 1}), 409)
    is_true("HoldLostPaid", call("seller", "POST", f"{held}/confirm", paid()), 409)
    issued_nowhere = f"{show}/holds/{uuid.uuid4()}"
    is_true("HoldNotFound", call("buyer", "GET", issued_nowhere), 404)
    is_true("NeverIssued", call("buyer", "DELETE", issued_nowhere), 409)
    hold(show, "E7")
    assert call("seller", "POST", f"{hold(show, 'E8')}/confirm").status_code == 201
    is_true("SeatUnavailable", post(two), 409)
    show, key = new_show(), {"Idempotency_Key": str(uuid.uuid4())}
    held = hold(show, "E7", "E8", **key)
    assert call("seller", "POST", f"{held}/confirm").status_code == 201
    is_true("ConfirmedHold", call("buyer", "GET", held), 200)
    is_true("HoldLostConfirmed", call("buyer", "DELETE", held), 409)
    is_true("HoldEndedConfirmed", call("buyer", "POST", f"{show}/holds", {"seats": ["E7", "E8"]}, **key), 409)
    show = new_show(sale={"opensAt": instant(1), "closesAt": instant(30)})
    is_true("NotOnSale", call("buyer", "POST", f"{show}/holds", two), 403)
    held = hold(new_show(hold={"maxTtlSeconds": 7200}), "E1")
    is_true("ExtendLimit", call("buyer", "PATCH", held, {"ttlSeconds": 7200}), 409)


def stock():
    show = new_show()
    decrement = lambda quantity: call("buyer", "POST", f"{show}/stock/GA/decrement", {"quantity": quantity})
    for quantity in (10, 6):
        held = f"{show}/holds/{decrement(quantity).json()['holdToken']}"
        assert call("seller", "POST", f"{held}/confirm").status_code == 201
    held = f"{show}/holds/{is_true('HoldOfUnits', decrement(2), 201)['holdToken']}"
    is_true("ZoneCount", call("buyer", "GET", f"{show}/stock/GA"), 200)
    is_true("ZoneNotFound", call("buyer", "GET", f"{show}/stock/B"), 404)
    is_true("ConfirmedBookingOfUnits", call("seller", "POST", f"{held}/confirm", paid()), 201)
    show = new_show(zones=[{"id": "GA", "capacity": 1}])
    is_true("SoldOut", decrement(2), 409)


def confirms():
    held, body = hold(new_show(), "E7", "E8"), paid()
    post = lambda body: call("seller", "POST", f"{held}/confirm", body)
    is_true("HoldMismatch", post({"seats": ["E7"]}), 422)
    booking = f"/bookings/{is_true('ConfirmedBooking', post(body), 201)['bookingId']}"
    is_true("ConfirmedBooking", post(body), 200)
    is_true("ConfirmedBooking", call("buyer", "GET", booking), 200)
    page = call("operator", "GET", f"{held.partition('/holds')[0]}/bookings?limit=1")
    is_true("BookingPage", page, 200)
    is_true("OtherAmount", post(paid(body["payment"]["reference"], amount="1")), 422)
    is_true("OtherPayment", post(paid()), 422)
    held, body, _ = confirmed("E7", "E8", body={})
    is_true("BookingPaidLater", post(paid()), 200)
    held, body = hold(new_show(), "E7", "E8"), paid() | {"seats": ["E7"]}
    is_true("HoldMismatchPaid", post(body), 422)
    held, body = hold(new_show(), "E7", "E8"), paid()
    assert call("buyer", "DELETE", held).status_code == 204
    assert post(body).status_code == 409
    (refused,) = call("operator", "GET", f"{held.partition('/holds')[0]}/bookings").json()["bookings"]
    is_true("RefusedBooking", refused, 200)
    refused = f"/bookings/{refused['bookingId']}"
    is_true("NotRestorableRefused", call("seller", "POST", f"{refused}/cancel"), 409)


def bookings():
    held, body, booking = confirmed("E7", "E8")
    cancel = {"reason": "Cannot come", "refunded": False, "version": 1}
    is_true("CancelledBooking", call("seller", "POST", f"{booking}/cancel", cancel), 200)
    is_true("RestoredBooking", call("operator", "POST", f"{booking}/restore", {"version": 2}), 200)
    is_true("VersionConflict", call("seller", "POST", f"{booking}/cancel", cancel), 409)
    assert call("seller", "POST", f"{booking}/cancel").status_code == 200
    is_true("AlreadyCancelled", call("seller", "POST", f"{held}/confirm", body), 409)
    other = hold(held.partition("/holds")[0], "E7")
    is_true("NotRestorablePlaces", call("operator", "POST", f"{booking}/restore"), 409)
    assert call("buyer", "DELETE", other).status_code == 204
    cursor, refund = "", None
    while refund is None:
        page = call("operator", "GET", f"/refunds?limit=100{cursor}").json()
        refund = next((one for one in page["refunds"] if booking.endswith(one["bookingId"])), None)
        cursor = f"&cursor={page.get('next')}"
    is_true("RefundPage", {"refunds": [refund]}, 200)
    settle = f"/refunds/{refund['refundId']}/settle"
    is_true("SettledRefund", call("operator", "POST", settle), 200)
    is_true("RefundNotFound", call("operator", "POST", f"/refunds/{uuid.uuid4()}/settle"), 404)
    is_true("NotRestorableRefunded", call("operator", "POST", f"{booking}/restore"), 409)
    is_true("BookingNotFound", call("buyer", "GET", f"/bookings/{uuid.uuid4()}"), 404)


def forbidden():
    held = hold(new_show(), "E1")
    if call("buyer", "POST", f"{held}/confirm").status_code == 403:
        UNPROVOKED.update(BY_BUYERS)
        is_true("ForbiddenForBuyers", call("buyer", "POST", f"{held}/confirm"), 403)
    else:
        UNPROVOKED.update(BY_SELLERS)
        is_true("ForbiddenMoney", call("buyer", "POST", f"{held}/confirm", paid()), 403)
        is_true("ForbiddenPaid", call("buyer", "POST", f"{confirmed('E1')[2]}/cancel"), 403)


def paths():
    is_true("not_found", client.get("/nothing"), 404)
    answer = client.patch("/shows/42")
    is_true("method_not_allowed", answer, 405)
    assert answer.headers["Allow"] == "PUT, GET"


for part in (shows, holds, stock, confirms, bookings, forbidden, paths):
    part()
for name in sorted(EXAMPLES.keys() - seen - UNPROVOKED - {"ShowDefinition"}):
    faults.append(f"{name}: this example was not compared")
codes = {example["code"] for example in EXAMPLES.values() if example.get("type", "").startswith("urn:")}
for code in set(OPENAPI["components"]["schemas"]["Problem"]["properties"]["code"]["enum"]) ^ codes:
    faults.append(f"{code}: a problem without an example, or an example without a problem")
for fault in faults:
    print(f"openapi.yaml: example {fault}", file=sys.stderr)
if faults:
    sys.exit(1)
print(f"{len(seen)} examples are what the system answers; {len(UNPROVOKED)} cannot be provoked.")
