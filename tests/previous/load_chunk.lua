#!lua

-- Puts one chunk of a show into a staging key, and renews the loader's turn.
--
-- Race: a loader that slept wakes up after another took over; its chunks are refused.
-- KEYS: load, staging
-- ARGV: owner, step (after this chunk), turn_ms, lease_ms, staging_ms, field and value...
-- Reply: code
-- Codes: LEASE_LOST, OK
-- Keeps: INV-11

local load_key, staging_key = KEYS[1], KEYS[2]
local owner, step = ARGV[1], tonumber(ARGV[2])
local turn_ms, lease_ms, staging_ms = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local FIRST_FIELD = 6

-- Check pass.
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local current = redis.call('GET', load_key)
if not current then return {-14} end
local lease, its_owner, its_step, version = string.match(current, '^(%S+) (%S+) (%d+) (%d+) (%d+)$')
if its_owner ~= owner then return {-14} end
-- A chunk that was sent twice and comes late: what it says may have been overwritten since.
if step < tonumber(its_step) then return {0} end

-- Write pass.
if #ARGV >= FIRST_FIELD then
  redis.call('HSET', staging_key, unpack(ARGV, FIRST_FIELD))
  redis.call('PEXPIRE', staging_key, staging_ms)
end
local value = table.concat({lease, owner, step, version, now_ms + turn_ms}, ' ')
redis.call('SET', load_key, value, 'PX', lease_ms)
return {0}
