#!lua

-- Takes seats out of a show, all of them or none, if nobody holds or has bought one.
--
-- Race: a show is replaced while somebody holds a seat that the new layout does not have.
-- KEYS: show, seats, held
-- ARGV: version (the one that does not have them), mark (names this replacement), closing_ms, seat...
-- Reply: code, detail
-- Codes: NOT_LOADED, IN_PROGRESS, IN_USE, OK
-- Keeps: INV-4, INV-9
--
-- detail: positions of the seats in use. The closing mark "until_ms mark" stays until the show is applied: meanwhile an
-- absent seat is "try again" and not "unknown", nobody else replaces the show, and whoever meets the mark after until_ms
-- applies the record anew, since whoever set it died.

local show_key, seats_key, held_key = KEYS[1], KEYS[2], KEYS[3]
local version, mark, closing_ms = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3])
local FIRST_SEAT = 4

-- Check pass.
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local show = redis.call('HMGET', show_key, 'epoch', 'closing', 'version')
if not show[1] then return {-2, ''} end
if tonumber(show[3]) > version then return {-9, ''} end
if show[2] then
  local until_ms, its_mark = string.match(show[2], '^(%d+) (%S+)$')
  if its_mark ~= mark and now_ms < tonumber(until_ms) then return {-9, ''} end
end
local seats = redis.call('HMGET', seats_key, unpack(ARGV, FIRST_SEAT))
local deadline = redis.call('ZMSCORE', held_key, unpack(ARGV, FIRST_SEAT))
local in_use = {}
for i = 1, #seats do
  if seats[i] and seats[i] ~= '' or deadline[i] and tonumber(deadline[i]) > now_ms then in_use[#in_use + 1] = i end
end
if #in_use > 0 then return {-16, table.concat(in_use, ' ')} end

-- Write pass.
redis.call('HSET', show_key, 'closing', (now_ms + closing_ms) .. ' ' .. mark)
redis.call('HDEL', seats_key, unpack(ARGV, FIRST_SEAT))
return {0, ''}
