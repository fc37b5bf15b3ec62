#!lua flags=allow-oom

-- Reads events of a show, from one of them on.
--
-- Race: the stream is trimmed before it is read; what was added and what is there tell how many are gone.
-- KEYS: show, events
-- ARGV: after (the id of the last one that was read; 0-0: none), count
-- Reply: code, epoch, added, length, events
-- Codes: NOT_LOADED, OK
-- Keeps: INV-11
--
-- added: events that the stream ever had. length: those that it has. events: JSON, a list of [id, [what, places, name,
-- value...]].

local show_key, events_key = KEYS[1], KEYS[2]
local after, count = ARGV[1], tonumber(ARGV[2])

local epoch = redis.call('HGET', show_key, 'epoch')
if not epoch then return {-2, '', 0, 0, ''} end
if redis.call('EXISTS', events_key) == 0 then return {0, epoch, 0, 0, '[]'} end
local info, about = redis.call('XINFO', 'STREAM', events_key), {}
for i = 1, #info, 2 do about[info[i]] = info[i + 1] end
local entries = redis.call('XRANGE', events_key, '(' .. after, '+', 'COUNT', count)
local events = #entries > 0 and cjson.encode(entries) or '[]'
return {0, epoch, about['entries-added'], about['length'], events}
