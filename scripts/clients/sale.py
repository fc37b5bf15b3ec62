"""A sale through the client that openapi-python-client generates, against the system at the URL in the first argument.
Each caller sends the token of its role. The local system reads the claims of a token and verifies no signature."""

import base64
import importlib
import json
import pathlib
import pkgutil
import sys
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).parent / "generated" / "python"))

import holdfast_client
from holdfast_client import AuthenticatedClient, Client, models
from holdfast_client.api.bookings import cancel_booking, get_booking, list_bookings, restore_booking
from holdfast_client.api.holds import confirm_hold, extend_hold, get_hold, hold, release_hold
from holdfast_client.api.refunds import list_refunds, settle_refund
from holdfast_client.api.shows import define_show, get_show, list_shows
from holdfast_client.api.stock import decrement_stock, get_stock
from holdfast_client.types import UNSET

# Not only what the sale uses: each module that was generated can be imported.
for module in pkgutil.walk_packages(holdfast_client.__path__, "holdfast_client."):
    importlib.import_module(module.name)

url = sys.argv[1]


def caller(**claims):
    """A client with a token of these claims."""
    parts = ({"alg": "none"}, claims)
    encoded = (base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)
    return AuthenticatedClient(url, token=".".join([*encoded, "none"]), raise_on_unexpected_status=True)


def success(answer, status):
    """The body of a success; a problem fails the sale."""
    assert answer.status_code == status, f"{answer.status_code} {answer.content.decode()}"
    return answer.parsed


def refusal(answer, code):
    """The problem of a refusal; a success fails the sale."""
    assert isinstance(answer.parsed, models.Problem), f"{code} was expected, not {answer.status_code}"
    assert answer.parsed.code == code, answer.parsed
    return answer.parsed


buyer = caller(sub="ann")
seller = caller(sub="shop", scope="holdfast/sell")
operator = caller(sub="staff", scope="openid holdfast/operate")
anonymous = Client(url, raise_on_unexpected_status=True)
show = f"py-{uuid.uuid4()}"
key = str(uuid.uuid4())

definition = models.ShowDefinition(
    name="Hamlet",
    sections=[models.Section(id="stalls", rows=[models.Row(id="E", from_=1, to=20)])],
    zones=[models.Zone(id="GA", capacity=5)],
    hold=models.HoldPolicy(max_ttl_seconds=120),
    waiting_room=models.WaitingRoom(),
)
refusal(define_show.sync_detailed(show, client=seller, body=definition), "forbidden")
defined = success(define_show.sync_detailed(show, client=operator, body=definition), 201)
assert (defined.places, defined.hold.default_ttl_seconds) == (25, 120)
assert len(success(list_shows.sync_detailed(client=operator, limit=1), 200).shows) == 1

seats = ["E7", "E8"]
body = models.HoldRequest(seats=seats)
held = success(hold.sync_detailed(show, client=buyer, body=body, idempotency_key=key), 201)
token = held.hold_token
repeated = success(hold.sync_detailed(show, client=buyer, body=body, idempotency_key=key), 201)
assert repeated.hold_token == token
taken = refusal(hold.sync_detailed(show, client=buyer, body=models.HoldRequest(seats=["E8"])), "seat_unavailable").seats
assert [(seat.seat, seat.reason) for seat in taken] == [("E8", "held")]

extend = models.ExtendRequest(ttl_seconds=120)
extended = success(extend_hold.sync_detailed(show, token, client=buyer, body=extend), 200)
assert extended.expires_in_ms > 110_000
assert success(get_hold.sync_detailed(show, token, client=buyer), 200).seats == seats

payment = models.Payment(reference=f"INV/2027/{uuid.uuid4()}", amount="55000", currency="KRW")
confirm = models.ConfirmRequest(payment=payment, seats=seats)
refusal(confirm_hold.sync_detailed(show, token, client=buyer, body=confirm), "forbidden")
booking = success(confirm_hold.sync_detailed(show, token, client=seller, body=confirm), 201).booking_id
assert success(confirm_hold.sync_detailed(show, token, client=seller, body=confirm), 200).booking_id == booking
read = success(get_booking.sync_detailed(booking, client=buyer), 200)
assert (read.status, read.seats, read.payment) == ("confirmed", seats, payment)
found = success(list_bookings.sync_detailed(show, client=operator, reference=payment.reference), 200)
assert [one.booking_id for one in found.bookings] == [booking]

cancel = models.CancelRequest(reason="Cannot come", version=1)
cancelled = success(cancel_booking.sync_detailed(booking, client=seller, body=cancel), 200)
assert (cancelled.status, cancelled.version, cancelled.refund.status) == ("cancelled", 2, "due")
restore = models.RestoreRequest(version=2)
assert success(restore_booking.sync_detailed(booking, client=operator, body=restore), 200).version == 3
assert refusal(cancel_booking.sync_detailed(booking, client=seller, body=cancel), "version_conflict").version == 3
success(cancel_booking.sync_detailed(booking, client=seller), 200)

refund, cursor = None, UNSET
while refund is None:
    page = success(list_refunds.sync_detailed(client=operator, limit=100, cursor=cursor), 200)
    refund = next((one for one in page.refunds if one.booking_id == booking), None)
    cursor = page.next_
    assert refund or cursor, "the refund is listed"
assert (refund.reference, refund.status, refund.standing_bookings) == (payment.reference, "due", [])
assert success(settle_refund.sync_detailed(refund.refund_id, client=operator), 200).status == "settled"
assert success(get_booking.sync_detailed(booking, client=buyer), 200).refund.status == "settled"

other = success(hold.sync_detailed(show, client=buyer, body=models.HoldRequest(seats=["E1"])), 201).hold_token
assert release_hold.sync_detailed(show, other, client=buyer).status_code == 204
late = extend_hold.sync_detailed(show, other, client=buyer, body=models.ExtendRequest(ttl_seconds=60))
refusal(late, "hold_lost")

quantity = models.DecrementRequest(quantity=2)
units = success(decrement_stock.sync_detailed(show, "GA", client=buyer, body=quantity), 201)
assert (len(units.units), units.remaining) == (2, 3)
assert success(confirm_hold.sync_detailed(show, units.hold_token, client=seller), 201).zone == "GA"
counted = success(get_stock.sync_detailed(show, "GA", client=anonymous), 200)
assert (counted.remaining, counted.held, counted.sold) == (3, 0, 2)
assert success(get_show.sync_detailed(show, client=anonymous), 200).name == "Hamlet"

print("The Python client has run a sale.")
