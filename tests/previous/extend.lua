#!lua
--@ lib/places.lua

-- Moves the deadline of a live hold to at least ttl_ms from now, never to an earlier instant.
--
-- Race: the hold lapses, or is confirmed, while its owner asks for more time; a lapsed hold is never revived here.
-- KEYS: show, hold, held, events, place-keys...
-- ARGV: token, ttl_ms, zone (empty: seats), place...
-- Reply: code, expires_in_ms, deadline_ms, detail
-- Codes: NOT_LOADED, TTL_TOO_LONG, IN_PROGRESS, HOLD_LOST, EXTEND_LIMIT, OK
-- Keeps: INV-4, INV-5, INV-6, INV-8
--
-- detail: the longest TTL in ms (TTL_TOO_LONG), the booking of a confirmed hold (HOLD_LOST), the longest life in ms
-- (EXTEND_LIMIT).

local show_key, hold_key, held_key, events_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local FIRST_PLACE_KEY, FIRST_PLACE = 5, 4
local token, ttl_ms, zone = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local places = {unpack(ARGV, FIRST_PLACE)}

-- Check pass.
local now_ms = clock()
local policy = redis.call('HMGET', show_key, 'maxTtl', 'maxLife')
if not policy[1] then return {-2, 0, 0, ''} end
if ttl_ms > tonumber(policy[1]) then return {-3, 0, 0, policy[1]} end
local hold = redis.call('HMGET', hold_key, 'state', 'deadline', 'created', 'booking')
local state, deadline_ms, created_ms = hold[1], tonumber(hold[2]), tonumber(hold[3])
if state == 'confirming' then return {-9, 0, 0, ''} end
if #places == 0 or state ~= 'active' or deadline_ms <= now_ms then return {-8, 0, 0, state == 'confirmed' and hold[4] or ''} end
local face = places_face(FIRST_PLACE_KEY, zone, places, show_key)
local _, holder = face.read(now_ms, token)
for i = 1, #places do
  if holder[i] ~= token then return {-8, 0, 0, ''} end
end
if now_ms + ttl_ms > created_ms + tonumber(policy[2]) then return {-10, 0, 0, policy[2]} end
if now_ms + ttl_ms <= deadline_ms then return {0, deadline_ms - now_ms, deadline_ms, ''} end

-- Write pass.
deadline_ms = now_ms + ttl_ms
local index = {}
for i = 1, #places do
  face.take(i, token, deadline_ms)
  index[2 * i - 1], index[2 * i] = deadline_ms, places[i]
end
redis.call('HSET', hold_key, 'deadline', deadline_ms)
redis.call('PEXPIRE', hold_key, ttl_ms + DAY_MS)
redis.call('ZADD', held_key, unpack(index))
event(events_key, 'extended', places, 'until', deadline_ms)
return {0, ttl_ms, deadline_ms, ''}
