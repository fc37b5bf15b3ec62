#!lua

-- Adds seats to a loaded show, for sale; a seat that is there already stays as it is.
--
-- Race: the last step of an overtaken PUT comes late: an older version adds nothing.
-- KEYS: show, seats
-- ARGV: version, mark (the replacement that this ends; empty: none), seat...
-- Reply: code, detail
-- Codes: NOT_LOADED, STALE, CLOSING, OK
-- Keeps: INV-9
--
-- detail: what is left of somebody else's closing mark in ms (CLOSING).

local show_key, seats_key = KEYS[1], KEYS[2]
local version, mark = tonumber(ARGV[1]), ARGV[2]
local FIRST_SEAT = 3

-- Check pass.
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local show = redis.call('HMGET', show_key, 'version', 'closing')
if not show[1] then return {-2, ''} end
if version < tonumber(show[1]) then return {-17, ''} end
if show[2] then
  local until_ms, its_mark = string.match(show[2], '^(%d+) (%S+)$')
  if its_mark ~= mark and now_ms < tonumber(until_ms) then return {-15, tostring(until_ms - now_ms)} end
end

-- Write pass.
for i = FIRST_SEAT, #ARGV do redis.call('HSETNX', seats_key, ARGV[i], '') end
return {0, ''}
