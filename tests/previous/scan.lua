#!lua flags=allow-oom

-- Lists the seats that Redis has of a show, or the units that it has as sold, a part of them a call.
--
-- Race: places come and go while they are listed; whoever acts on the list looks again.
-- KEYS: show, fields (seats, or stock-sold)
-- ARGV: cursor (0: from the start), count (about how many)
-- Reply: code, cursor (0: that was all), fields
-- Codes: NOT_LOADED, OK
-- Keeps: INV-11

local show_key, fields_key = KEYS[1], KEYS[2]
local cursor, count = ARGV[1], tonumber(ARGV[2])

if redis.call('EXISTS', show_key) == 0 then return {-2, '0', ''} end
local scanned = redis.call('HSCAN', fields_key, cursor, 'COUNT', count)
local fields = {}
for i = 1, #scanned[2], 2 do fields[#fields + 1] = scanned[2][i] end
return {0, scanned[1], table.concat(fields, ' ')}
