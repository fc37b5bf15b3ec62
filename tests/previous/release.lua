#!lua flags=allow-oom
--@ lib/places.lua

-- Gives every place of a live hold back at once.
--
-- Race: the next owner took the seat after a lapse, or a confirm is under way; a stale owner frees nothing.
-- KEYS: show, hold, held, events, place-keys...
-- ARGV: token, zone (empty: seats), place...
-- Reply: code, detail
-- Codes: NOT_LOADED, OK, IN_PROGRESS, HOLD_LOST
-- Keeps: INV-4, INV-5, INV-7, INV-8
--
-- detail: the booking of a confirmed hold (HOLD_LOST). A second release is OK and changes nothing.

local show_key, hold_key, held_key, events_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local FIRST_PLACE_KEY, FIRST_PLACE = 5, 3
local token, zone = ARGV[1], ARGV[2]
local places = {unpack(ARGV, FIRST_PLACE)}

-- Check pass.
local now_ms = clock()
if redis.call('EXISTS', show_key) == 0 then return {-2, ''} end
local hold = redis.call('HMGET', hold_key, 'state', 'deadline', 'booking')
local state, deadline_ms = hold[1], tonumber(hold[2])
if state == 'released' then return {0, ''} end
if state == 'confirming' then return {-9, ''} end
if state ~= 'active' or deadline_ms <= now_ms then return {-8, state == 'confirmed' and hold[3] or ''} end
local face = places_face(FIRST_PLACE_KEY, zone, places, show_key)
local _, holder = face.read(now_ms, token)

-- Write pass.
local freed = {}
for i = 1, #places do
  if holder[i] == token then
    face.let_go(i)
    freed[#freed + 1] = places[i]
  end
end
face.recount()
redis.call('HSET', hold_key, 'state', 'released', 'deadline', now_ms)
redis.call('PEXPIRE', hold_key, DAY_MS)
if #freed > 0 then
  redis.call('ZREM', held_key, unpack(freed))
  event(events_key, 'released', freed)
end
return {0, ''}
