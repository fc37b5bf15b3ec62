#!lua flags=allow-oom

-- Tells of a show what a reconcile has to know before it compares.
--
-- Race: the show is replaced, or loaded anew, while it is reconciled; version and epoch tell.
-- KEYS: show, seats, held, confirming
-- ARGV: (none)
-- Reply: code, epoch, version, closing (0: no; 1: it is being replaced; 2: that was given up), seat_count, live_count
-- Codes: NOT_LOADED, OK
-- Keeps: INV-11
--
-- live_count: places of holds that have not lapsed, and tokens that are being confirmed.

local show_key, seats_key, held_key, confirming_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4]

local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local show = redis.call('HMGET', show_key, 'epoch', 'version', 'closing')
if not show[1] then return {-2, '', 0, 0, 0, 0} end
local closing = 0
if show[3] then closing = now_ms < tonumber(string.match(show[3], '^(%d+)')) and 1 or 2 end
local live_count = redis.call('ZCOUNT', held_key, '(' .. now_ms, '+inf') + redis.call('ZCARD', confirming_key)
return {0, show[1], tonumber(show[2]), closing, redis.call('HLEN', seats_key), live_count}
