#!lua flags=allow-oom
-- Tells Redis that the places of a booking are for sale again, and ends the hold that asked for them.
--
-- Race: a free that comes after the seat was sold again, or twice, changes nothing: version and owner say so.
-- KEYS: show, hold, held, events, confirming, booking, place-keys...
-- ARGV: booking, version (0: it was never written), token, outcome (refused, expired; confirmed: it was cancelled since), recorded (payments), zone (empty: seats), place...
-- Reply: code, freed
-- Codes: NOT_LOADED, OK
-- Keeps: INV-3, INV-4, INV-5, INV-7, INV-10
--
-- A refused booking never had a place: its hold does, and lets go of them here. The same version again does what is left
-- to do: the owner of each place says so. Of a booking that was never written no hold that is known can be. recorded: as
-- in mark.

local show_key, hold_key, held_key, events_key, confirming_key, booking_key =
  KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local FIRST_PLACE_KEY, FIRST_PLACE = 7, 7
local booking, version, token, outcome, recorded = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4], ARGV[5]
local zone = ARGV[6]
local places = {unpack(ARGV, FIRST_PLACE)}

-- Check pass.
local now_ms = clock()
if redis.call('EXISTS', show_key) == 0 then return {-2, 0} end
local applied = tonumber(redis.call('GET', booking_key) or 0)
if version > 0 and version < applied then return {0, 0} end
local hold = redis.call('HMGET', hold_key, 'state', 'places', 'payments')
local state = hold[1]
if version == 0 and state then return {0, 0} end
if state then places = with_rest(places, zone, hold[2]) end
local face = places_face(FIRST_PLACE_KEY, zone, places, show_key)
local sold, holder = face.read(now_ms, token)

-- Write pass.
local freed = {}
for i = 1, #places do
  local was_sold, was_held = sold[i] == booking, holder[i] == token
  if was_sold then face.unsell(i) end
  if was_held then face.let_go(i) end
  if was_sold or was_held then freed[#freed + 1] = places[i] end
end
if version > applied then redis.call('SET', booking_key, version, 'PX', DAY_MS) end
if #freed > 0 then
  face.apply()
  redis.call('ZREM', held_key, unpack(freed))
  event(events_key, 'freed', freed)
end
local ends = state and state ~= outcome
if ends then redis.call('HSET', hold_key, 'state', outcome, 'booking', booking, 'deadline', now_ms) end
end_token(hold_key, confirming_key, token, hold[3], recorded, ends)
return {0, #freed}
