#!lua flags=allow-oom

-- Moves what was gathered into place, and lets the show exist in Redis under a new epoch.
--
-- Race: two loaders, one of them asleep for long: only the owner of the lease finishes, and only once.
-- KEYS: show, load, load-seats, seats, events, load-sold / stock-sold / stock / stock-next / stock-returned / stock-held / stock-holders...
-- ARGV: owner, epoch, has_seats (0 or 1), zone_count, zone and capacity..., field and value of show...
-- Reply: code
-- Codes: LOADED, LEASE_LOST, OK
-- Keeps: INV-7, INV-9, INV-11

local show_key, load_key, staged_seats_key, seats_key, events_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local owner, epoch, has_seats, zone_count = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local FIRST_ZONE_KEY, KEYS_PER_ZONE, FIRST_ZONE = 6, 7, 5

-- Check pass.
if redis.call('EXISTS', show_key) == 1 then return {1} end
local current = redis.call('GET', load_key)
if not current then return {-14} end
local _, its_owner = string.match(current, '^(%S+) (%S+)')
if its_owner ~= owner then return {-14} end
if has_seats == 1 and redis.call('EXISTS', staged_seats_key) == 0 then
  -- What was gathered is gone, and the lease would count it as done for ever: the next loader begins anew.
  redis.call('DEL', load_key)
  return {-14}
end

-- Write pass. Events are counted from the beginning of an epoch. A staging key has a TTL, which it would keep under its
-- new name.
redis.call('UNLINK', events_key)
if has_seats == 1 then
  redis.call('RENAME', staged_seats_key, seats_key)
  redis.call('PERSIST', seats_key)
else
  redis.call('DEL', seats_key)
end
local zone_fields = {}
for z = 1, zone_count do
  local first = FIRST_ZONE_KEY + (z - 1) * KEYS_PER_ZONE
  local staged_sold_key, sold_key, stock_key = KEYS[first], KEYS[first + 1], KEYS[first + 2]
  redis.call('DEL', unpack(KEYS, first + 1, first + KEYS_PER_ZONE - 1))
  if redis.call('EXISTS', staged_sold_key) == 1 then
    redis.call('RENAME', staged_sold_key, sold_key)
    redis.call('PERSIST', sold_key)
  end
  local zone, capacity = ARGV[FIRST_ZONE + (z - 1) * 2], tonumber(ARGV[FIRST_ZONE + (z - 1) * 2 + 1])
  redis.call('SET', stock_key, capacity - redis.call('HLEN', sold_key))
  zone_fields[2 * z - 1], zone_fields[2 * z] = 'zone:' .. zone, capacity
end
if zone_count > 0 then redis.call('HSET', show_key, unpack(zone_fields)) end
redis.call('HSET', show_key, 'epoch', epoch, unpack(ARGV, FIRST_ZONE + 2 * zone_count))
redis.call('DEL', load_key)
return {0}
