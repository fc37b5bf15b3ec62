#!lua

-- Gives one caller the lease to load a show, or says that it is loaded or being loaded.
--
-- Race: a thousand first requests meet a show that Redis does not know; one of them loads it. A loader that fell asleep
-- loses the lease, and the next one goes on where it stopped.
-- KEYS: show, load
-- ARGV: owner, lease (a name for new staging keys), version, turn_ms, lease_ms
-- Reply: code, lease, step
-- Codes: LOADED, LOADING, OK
-- Keeps: INV-9, INV-11
--
-- The lease reads "lease owner step version until_ms". It names the staging keys; until_ms is how long its owner has the
-- turn, and every chunk renews it. A lease of another version of the show is not continued.

local show_key, load_key = KEYS[1], KEYS[2]
local owner, lease, version = ARGV[1], ARGV[2], tonumber(ARGV[3])
local turn_ms, lease_ms = tonumber(ARGV[4]), tonumber(ARGV[5])

-- Check pass.
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
if redis.call('EXISTS', show_key) == 1 then return {1, '', 0} end
local step = 0
local current = redis.call('GET', load_key)
if current then
  local its_lease, its_owner, its_step, its_version, until_ms = string.match(current, '^(%S+) (%S+) (%d+) (%d+) (%d+)$')
  if its_owner ~= owner and now_ms < tonumber(until_ms) then return {-13, '', 0} end
  if tonumber(its_version) == version then lease, step = its_lease, tonumber(its_step) end
end

-- Write pass.
local value = table.concat({lease, owner, step, version, now_ms + turn_ms}, ' ')
redis.call('SET', load_key, value, 'PX', lease_ms)
return {0, lease, step}
