#!lua flags=allow-oom
-- Fixes a hold while its booking is written: it can neither lapse nor be released, extended or swapped.
--
-- Race: the hold lapses, or its owner releases it, between the check and the conditional put of a confirm.
-- KEYS: show, hold, held, events, confirming, place-keys...
-- ARGV: token, pin_ms, payment (JSON, or empty), order (or empty), buyer (a hash, or empty), zone (empty: seats), place...
-- Reply: code, confirmed_at_ms, payment, order, buyer
-- Codes: NOT_LOADED, DECIDED, HOLD_LOST, CLOSING, OK
-- Keeps: INV-3, INV-4, INV-5, INV-6, INV-10
--
-- The payment, order and confirmed_at_ms of the first pin are kept and answered to every later one, also to one that
-- finds the hold lost; the first payment is then what the refusal is about. CLOSING answers what is left of the closing
-- mark in ms in place of confirmed_at_ms. A hold that has
-- lapsed is taken again if the show says `rescue` and every place is free. If Redis has lost the hold, the places are
-- the caller's, and they are judged as a new hold would be, sale window and limit included: else a made-up token
-- could buy before the sale opens.

local show_key, hold_key, held_key, events_key, confirming_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local FIRST_PLACE_KEY, FIRST_PLACE = 6, 7
local token, pin_ms, payment, order, buyer, zone = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local places = {unpack(ARGV, FIRST_PLACE)}

-- Check pass.
local now_ms = clock()
local policy = redis.call('HMGET', show_key, 'maxLife', 'late', 'opens', 'closes', 'perHold', 'closing')
if not policy[1] then return {-2, 0, '', '', ''} end
local hold = redis.call('HMGET', hold_key, 'state', 'deadline', 'created', 'confirmedAt', 'payment', 'order', 'buyer')
local state, deadline_ms, created_ms = hold[1], tonumber(hold[2] or 0), tonumber(hold[3] or now_ms)
if state == 'confirmed' or state == 'refused' then return {-12, 0, '', '', ''} end
if state == 'released' then return {-8, 0, '', '', ''} end
local lost = {-8, tonumber(hold[4] or 0), hold[5] or '', hold[6] or '', hold[7] or ''}

local face = places_face(FIRST_PLACE_KEY, zone, places, show_key)
local sold, holder = face.read(now_ms, token)
local live = state and deadline_ms > now_ms
for i = 1, #places do live = live and holder[i] == token end
if not live then
  if policy[2] ~= 'rescue' then return lost end
  if not state and (now_ms < tonumber(policy[3]) or now_ms >= tonumber(policy[4]) or #places > tonumber(policy[5])) then
    return lost
  end
  local absent = false
  for i = 1, #places do
    absent = absent or not sold[i]
    if sold[i] and sold[i] ~= '' or holder[i] and holder[i] ~= token then return lost end
  end
  if absent and policy[6] then return {-15, tonumber(string.match(policy[6], '^(%d+)')) - now_ms, '', '', ''} end
  if absent then return lost end
  -- What is taken again begins a new life.
  created_ms = now_ms
end

-- Write pass. A pin never reaches beyond the longest life plus one pin.
local furthest_ms = created_ms + tonumber(policy[1]) + pin_ms
local until_ms = math.min(now_ms + pin_ms, furthest_ms)
if live then until_ms = math.max(until_ms, deadline_ms) end
local index = {}
for i = 1, #places do
  face.take(i, token, until_ms)
  index[2 * i - 1], index[2 * i] = until_ms, places[i]
end
face.recount()
if state ~= 'confirming' then
  hold[4], hold[5], hold[6], hold[7] = now_ms, payment, order, hold[7] or buyer
  redis.call('HSET', hold_key, 'state', 'confirming', 'places', table.concat(places, ' '), 'confirmedAt', now_ms, 'payment', payment, 'order', order, 'buyer', hold[7])
  if zone ~= '' then redis.call('HSET', hold_key, 'zone', zone) end
end
redis.call('HSET', hold_key, 'created', created_ms, 'deadline', until_ms)
redis.call('PEXPIRE', hold_key, until_ms - now_ms + DAY_MS)
redis.call('ZADD', held_key, unpack(index))
redis.call('ZADD', confirming_key, 'NX', now_ms, token)
event(events_key, live and 'extended' or 'held', places, 'until', until_ms)
return {0, tonumber(hold[4]), hold[5], hold[6], hold[7]}
