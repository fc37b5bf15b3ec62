#!lua flags=allow-oom

-- Lists tokens that are being confirmed, those that were pinned first before the others.
--
-- Race: a confirm ends while it is listed; settling a token that is decided changes nothing.
-- KEYS: show, confirming
-- ARGV: first (a rank, from 0), count
-- Reply: code, tokens
-- Codes: NOT_LOADED, OK
-- Keeps: INV-10, INV-11
--
-- tokens: "token age_ms" of each, with spaces between.

local show_key, confirming_key = KEYS[1], KEYS[2]
local first, count = tonumber(ARGV[1]), tonumber(ARGV[2])

local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
if redis.call('EXISTS', show_key) == 0 then return {-2, ''} end
local pinned = redis.call('ZRANGE', confirming_key, first, first + count - 1, 'WITHSCORES')
local tokens = {}
for i = 1, #pinned, 2 do
  tokens[i], tokens[i + 1] = pinned[i], string.format('%.0f', math.max(now_ms - pinned[i + 1], 0))
end
return {0, table.concat(tokens, ' ')}
