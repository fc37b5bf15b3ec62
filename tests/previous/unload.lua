#!lua flags=allow-oom

-- Takes a show out of Redis, if nobody holds anything of it and all of its events were read; a touch loads it again.
--
-- Race: somebody holds a seat of it, or something happens to it, while it is taken out.
-- KEYS: show, seats, held, confirming, events, stock / stock-next / stock-returned / stock-held / stock-holders / stock-sold...
-- ARGV: epoch, last (the id of the event that was read last)
-- Reply: code
-- Codes: NOT_LOADED, STALE, IN_USE, OK
-- Keeps: INV-3, INV-6, INV-11
--
-- STALE: it was loaded anew, or there are events that were not read.

local show_key, held_key, confirming_key, events_key = KEYS[1], KEYS[3], KEYS[4], KEYS[5]
local epoch, last = ARGV[1], ARGV[2]

-- Check pass.
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local its_epoch = redis.call('HGET', show_key, 'epoch')
if not its_epoch then return {-2} end
if its_epoch ~= epoch then return {-17} end
if #redis.call('XRANGE', events_key, '(' .. last, '+', 'COUNT', 1) > 0 then return {-17} end
if redis.call('ZCOUNT', held_key, '(' .. now_ms, '+inf') > 0 or redis.call('ZCARD', confirming_key) > 0 then return {-16} end

-- Write pass.
redis.call('UNLINK', unpack(KEYS))
return {0}
