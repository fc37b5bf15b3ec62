#!lua flags=allow-oom
--@ lib/places.lua

-- Tidies places of lapsed holds away, a bounded number a call, and tells of it.
--
-- Race: a lapsed place is taken again meanwhile; its deadline lies ahead then, and it stays.
-- KEYS: show, held, events, place-keys...
-- ARGV: zone (empty: seats), from (a rank, for a dry run), limit, dry_run (0 or 1)
-- Reply: code, expired, met
-- Codes: NOT_LOADED, OK
-- Keeps: INV-5, INV-6, INV-7
--
-- A lapsed seat is free because its lock is gone: only the index still has it. A lapsed unit goes back to its zone. met
-- counts what was looked at: as many as the limit means that there may be more.

local show_key, held_key, events_key = KEYS[1], KEYS[2], KEYS[3]
local FIRST_PLACE_KEY = 4
local zone, from, limit, dry_run = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == '1'

-- Check pass.
local now_ms = clock()
if redis.call('EXISTS', show_key) == 0 then return {-2, 0, 0} end
local index_key = zone == '' and held_key or KEYS[FIRST_PLACE_KEY + 3]
local lapsed = redis.call('ZRANGEBYSCORE', index_key, '-inf', now_ms, 'LIMIT', from, limit)
if #lapsed == 0 then return {0, 0, 0} end
-- The index of holds has units, too: those are tidied by their zone. A unit without a holder, or sold, is torn.
local known = redis.call('HMGET', KEYS[zone == '' and FIRST_PLACE_KEY or FIRST_PLACE_KEY + 4], unpack(lapsed))
local bought = zone == '' and {} or redis.call('HMGET', KEYS[FIRST_PLACE_KEY + 5], unpack(lapsed))
local expired = {}
for i = 1, #lapsed do
  if known[i] and not bought[i] then expired[#expired + 1] = lapsed[i] end
end
if dry_run then return {0, #expired, #lapsed} end

-- Write pass.
if zone ~= '' then
  expire_units(FIRST_PLACE_KEY, zone, expired, show_key, held_key, events_key)
  if #expired < #lapsed then redis.call('ZREM', index_key, unpack(lapsed)) end
else
  redis.call('ZREM', index_key, unpack(lapsed))
  if #expired > 0 then event(events_key, 'expired', expired) end
end
return {0, #expired, #lapsed}
