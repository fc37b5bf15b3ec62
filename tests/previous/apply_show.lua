#!lua

-- Gives a loaded show the policy and the zones of a version, and takes the closing mark away.
--
-- Race: the last step of an overtaken PUT comes late: an older version changes nothing.
-- KEYS: show, stock / stock-held / stock-sold...
-- ARGV: version, mark (the replacement that this ends; empty: none), zone_count, zone and capacity..., field and value of show...
-- Reply: code, detail
-- Codes: NOT_LOADED, STALE, CLOSING, OK
-- Keeps: INV-7, INV-9
--
-- detail: what is left of somebody else's closing mark in ms (CLOSING).

local show_key = KEYS[1]
local version, mark, zone_count = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3])
local FIRST_ZONE_KEY, KEYS_PER_ZONE, FIRST_ZONE = 2, 3, 4

-- Check pass.
local show = redis.call('HMGET', show_key, 'version', 'closing')
if not show[1] then return {-2, ''} end
if version < tonumber(show[1]) then return {-17, ''} end
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
if show[2] then
  local until_ms, its_mark = string.match(show[2], '^(%d+) (%S+)$')
  if its_mark ~= mark and now_ms < tonumber(until_ms) then return {-15, tostring(until_ms - now_ms)} end
end

-- Write pass.
local stale = {'closing'}
for _, field in ipairs(redis.call('HKEYS', show_key)) do
  if string.sub(field, 1, 5) == 'zone:' then stale[#stale + 1] = field end
end
redis.call('HDEL', show_key, unpack(stale))
for z = 1, zone_count do
  local first = FIRST_ZONE_KEY + (z - 1) * KEYS_PER_ZONE
  local zone, capacity = ARGV[FIRST_ZONE + (z - 1) * 2], tonumber(ARGV[FIRST_ZONE + (z - 1) * 2 + 1])
  redis.call('HSET', show_key, 'zone:' .. zone, capacity)
  redis.call('SET', KEYS[first], capacity - redis.call('ZCARD', KEYS[first + 1]) - redis.call('HLEN', KEYS[first + 2]))
end
redis.call('HSET', show_key, unpack(ARGV, FIRST_ZONE + 2 * zone_count))
return {0, ''}
