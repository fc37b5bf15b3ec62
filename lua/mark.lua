#!lua flags=allow-oom
-- Tells Redis that places were sold to a booking, and ends the hold that had them.
--
-- Race: a mark that comes after the cancel of its booking changes nothing: the version says so. The same mark again, or
-- one of the booking's other places, does what is left to do: the owner of each place says so.
-- KEYS: show, hold, held, events, confirming, booking, place-keys...
-- ARGV: buyer_booking, version, token, outcome (confirmed, refused, expired; empty: the hold goes on), hold_booking (empty: none), recorded (payments), sold_count, zone (empty: seats), place...
-- Reply: code, marked, freed, ended (0 or 1)
-- Codes: NOT_LOADED, OK
-- Keeps: INV-3, INV-5, INV-7, INV-9, INV-10
--
-- The first sold_count places are sold to buyer_booking; the rest of the hold goes back for sale. In a confirm all are
-- sold and buyer_booking is hold_booking. In a read repair the buyer is another booking: the guard refused this hold,
-- which ends as a whole, or goes on with other units. A place of another booking, or of a live hold of another token, is
-- not touched; the version is then not recorded, so that a later mark can still do it. `expired` is what a reconcile says of a hold that has a sold
-- place: not when the sale is not the newest that is known, and not of a hold that is being confirmed, whose own decision
-- ends it (but of a restore). recorded: payments of the token that are on record, as JSON, a line each. A token with
-- others stays in `confirming`, and the record of its hold stays without a TTL, until a reconcile has recorded those (INV-10).

local show_key, hold_key, held_key, events_key, confirming_key, booking_key =
  KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local FIRST_PLACE_KEY, FIRST_PLACE = 7, 9
local buyer_booking, version, token, outcome, hold_booking = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4], ARGV[5]
local recorded, sold_count, zone = ARGV[6], tonumber(ARGV[7]), ARGV[8]
local places = {unpack(ARGV, FIRST_PLACE)}

-- Check pass.
local now_ms = clock()
if redis.call('EXISTS', show_key) == 0 then return {-2, 0, 0, 0} end
local applied = tonumber(redis.call('GET', booking_key) or 0)
local current = version >= applied
local hold = redis.call('HMGET', hold_key, 'state', 'restores', 'places', 'payments')
local state, pinned = hold[1], redis.call('ZSCORE', confirming_key, token)
local ends = outcome ~= '' and (state == 'active' or state == 'confirming')
if outcome == 'expired' then ends = state == 'active' and current or state == 'confirming' and hold[2] and true or false end
if ends then places = with_rest(places, zone, hold[3]) end
local face = places_face(FIRST_PLACE_KEY, zone, places, show_key)
local sold, holder = face.read(now_ms, token)

-- Write pass.
local marked, freed, unheld, passed_over = {}, {}, {}, false
for i = 1, #places do
  local mine = holder[i] == token
  -- A unit above a lowered capacity was handed out before, and can still be sold to who had it.
  local unsold = sold[i] == '' or zone ~= '' and not sold[i]
  if i <= sold_count and current and unsold and (mine or not holder[i]) then
    face.sell(i, buyer_booking)
    marked[#marked + 1], unheld[#unheld + 1] = places[i], places[i]
  elseif sold[i] and sold[i] ~= '' and mine then
    -- Sold, and held all the same: whoever bought it keeps it.
    face.sell(i, sold[i])
    unheld[#unheld + 1] = places[i]
    passed_over = passed_over or i <= sold_count and sold[i] ~= buyer_booking
  else
    if i <= sold_count and sold[i] ~= buyer_booking then passed_over = true end
    if mine and ends then
      face.let_go(i)
      freed[#freed + 1], unheld[#unheld + 1] = places[i], places[i]
    end
  end
end
if #unheld > 0 then
  face.apply()
  redis.call('ZREM', held_key, unpack(unheld))
end
if version > applied and not passed_over then redis.call('SET', booking_key, version, 'PX', DAY_MS) end
if ends then
  -- What a confirmed hold has is what its booking has, whatever it held in the end.
  if outcome == 'confirmed' then redis.call('HSET', hold_key, 'places', table.concat(places, ' ', 1, sold_count)) end
  redis.call('HSET', hold_key, 'state', outcome, 'booking', hold_booking, 'deadline', now_ms)
end
if ends or pinned and buyer_booking == hold_booking then end_token(hold_key, confirming_key, token, hold[4], recorded, ends) end
if #marked > 0 then event(events_key, 'sold', marked, 'booking', buyer_booking) end
if #freed > 0 then event(events_key, 'freed', freed) end
return {0, #marked, #freed, ends and 1 or 0}
