// A sale through the client that openapi-typescript generates, against the system at the URL in the first argument.
// Each caller sends the token of its role. The local system reads the claims of a token and verifies no signature.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

import createClient, { type Client } from "openapi-fetch";

import type { components, paths } from "./generated/holdfast.js";

type Schemas = components["schemas"];

function caller(url: string, claims: object): Client<paths> {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const token = `${part({ alg: "none" })}.${part(claims)}.none`;
  return createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${token}` } });
}

/** The body of a success; a problem fails the sale. */
function success<T>(answer: { data?: T; error?: unknown; response: Response }, status: number): T {
  const found = `${answer.response.status} ${JSON.stringify(answer.error ?? answer.data)}`;
  assert.equal(answer.response.status, status, found);
  return answer.data as T;
}

/** The problem of a refusal; a success fails the sale. */
function refusal(answer: { error?: Schemas["Problem"]; response: Response }, code: Schemas["Problem"]["code"]) {
  assert.ok(answer.error, `${code} was expected, and the answer is ${answer.response.status}`);
  assert.equal(answer.error.code, code);
  return answer.error;
}

const [url] = process.argv.slice(2);
assert.ok(url, "usage: sale.js URL");
const buyer = caller(url, { sub: "ann" });
const seller = caller(url, { sub: "shop", scope: "holdfast/sell" });
const operator = caller(url, { sub: "staff", scope: "openid holdfast/operate" });
const showId = `ts-${randomUUID()}`;
const show = { params: { path: { showId } } };
const keyed = { params: { path: { showId }, header: { "Idempotency-Key": randomUUID() } } };

const definition: Schemas["ShowDefinition"] = {
  name: "Hamlet",
  sections: [{ id: "stalls", rows: [{ id: "E", from: 1, to: 20 }] }],
  zones: [{ id: "GA", capacity: 5 }],
};
refusal(await seller.PUT("/shows/{showId}", { ...show, body: definition }), "forbidden");
const defined = success(await operator.PUT("/shows/{showId}", { ...show, body: definition }), 201);
assert.equal(defined.places, 25);
const listed = success(await operator.GET("/shows", { params: { query: { limit: 1 } } }), 200);
assert.equal(listed.shows.length, 1);

const seats = ["E7", "E8"];
const { holdToken } = success(await buyer.POST("/shows/{showId}/holds", { ...keyed, body: { seats } }), 201);
const repeated = success(await buyer.POST("/shows/{showId}/holds", { ...keyed, body: { seats } }), 201);
assert.equal(repeated.holdToken, holdToken);
const unavailable = await buyer.POST("/shows/{showId}/holds", { ...show, body: { seats: ["E8"] } });
const [taken] = refusal(unavailable, "seat_unavailable").seats ?? [];
assert.ok(typeof taken === "object" && taken.seat === "E8" && taken.reason === "held");

const hold = { params: { path: { showId, holdToken } } };
const path = "/shows/{showId}/holds/{holdToken}";
const extended = success(await buyer.PATCH(path, { ...hold, body: { ttlSeconds: 600 } }), 200);
assert.ok(extended.expiresInMs > 590_000);
assert.deepEqual(success(await buyer.GET(path, hold), 200).seats, seats);

const payment = { reference: `INV/2027/${randomUUID()}`, amount: "55000", currency: "KRW" };
refusal(await buyer.POST(`${path}/confirm`, { ...hold, body: { payment } }), "forbidden");
const booking = success(await seller.POST(`${path}/confirm`, { ...hold, body: { payment, seats } }), 201);
const again = { ...payment, amount: "55000.00" };
assert.equal(success(await seller.POST(`${path}/confirm`, { ...hold, body: { payment: again } }), 200).version, 1);

const { bookingId } = booking;
const booked = { params: { path: { bookingId } } };
const read = success(await buyer.GET("/bookings/{bookingId}", booked), 200);
assert.deepEqual([read.status, read.seats, read.payment], ["confirmed", seats, payment]);
const ofShow = { params: { path: { showId }, query: { reference: payment.reference } } };
const found = success(await operator.GET("/shows/{showId}/bookings", ofShow), 200);
assert.deepEqual(found.bookings, [read]);

const body = { reason: "Cannot come", version: 1 };
const cancelled = success(await seller.POST("/bookings/{bookingId}/cancel", { ...booked, body }), 200);
assert.deepEqual([cancelled.status, cancelled.version, cancelled.refund?.status], ["cancelled", 2, "due"]);
const restore = { ...booked, body: { version: 2 } };
const restored = success(await operator.POST("/bookings/{bookingId}/restore", restore), 200);
assert.deepEqual([restored.status, restored.version], ["confirmed", 3]);
const late = await seller.POST("/bookings/{bookingId}/cancel", { ...booked, body });
assert.equal(refusal(late, "version_conflict").version, 3);
success(await seller.POST("/bookings/{bookingId}/cancel", booked), 200);

let refund: Schemas["RefundRecord"] | undefined;
let cursor: string | undefined;
do {
  const query = { limit: 100, ...(cursor === undefined ? {} : { cursor }) };
  const page: Schemas["RefundPage"] = success(await operator.GET("/refunds", { params: { query } }), 200);
  refund = page.refunds.find((one) => one.bookingId === bookingId);
  cursor = page.next;
} while (!refund && cursor !== undefined);
assert.ok(refund, "the refund is listed");
assert.deepEqual([refund.reference, refund.status, refund.standingBookings], [payment.reference, "due", []]);
const due = { params: { path: { refundId: refund.refundId } } };
assert.equal(success(await operator.POST("/refunds/{refundId}/settle", due), 200).status, "settled");
assert.equal(success(await buyer.GET("/bookings/{bookingId}", booked), 200).refund?.status, "settled");

const other = success(await buyer.POST("/shows/{showId}/holds", { ...show, body: { seats: ["E1"] } }), 201);
const otherHold = { params: { path: { showId, holdToken: other.holdToken } } };
success(await buyer.DELETE(path, otherHold), 204);
refusal(await buyer.PATCH(path, { ...otherHold, body: { ttlSeconds: 60 } }), "hold_lost");

const zone = { params: { path: { showId, zoneId: "GA" } } };
const two = { ...zone, body: { quantity: 2 } };
const units = success(await buyer.POST("/shows/{showId}/stock/{zoneId}/decrement", two), 201);
assert.deepEqual([units.units?.length, units.remaining], [2, 3]);
const unitsHold = { params: { path: { showId, holdToken: units.holdToken } } };
assert.equal(success(await seller.POST(`${path}/confirm`, unitsHold), 201).zone, "GA");
const anonymous = createClient<paths>({ baseUrl: url });
const counted = success(await anonymous.GET("/shows/{showId}/stock/{zoneId}", zone), 200);
assert.deepEqual([counted.remaining, counted.held, counted.sold], [3, 0, 2]);
assert.equal(success(await anonymous.GET("/shows/{showId}", show), 200).name, "Hamlet");

console.log("The TypeScript client has run a sale.");
