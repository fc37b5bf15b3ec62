#!lua flags=allow-oom

-- Counts a zone: its capacity, the units that live holds have, the sold ones.
--
-- Race: units lapse while they are counted; a lapsed unit counts as left, whether or not it was tidied away.
-- KEYS: show, stock-held, stock-sold
-- ARGV: zone
-- Reply: code, capacity, held, sold
-- Codes: NOT_LOADED, UNKNOWN_ZONE, OK
-- Keeps: INV-7

local show_key, units_held_key, sold_key = KEYS[1], KEYS[2], KEYS[3]
local zone = ARGV[1]

local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local show = redis.call('HMGET', show_key, 'epoch', 'zone:' .. zone)
if not show[1] then return {-2, 0, 0, 0} end
if not show[2] then return {-11, 0, 0, 0} end
return {0, tonumber(show[2]), redis.call('ZCOUNT', units_held_key, '(' .. now_ms, '+inf'), redis.call('HLEN', sold_key)}
