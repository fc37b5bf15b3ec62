#!lua
-- Takes a number of units of a zone for one hold, or none.
--
-- Race: two buyers take the last units in the same instant; a lapsed unit is asked for while nobody tidies up.
-- KEYS: show, hold, held, events, stock, stock-next, stock-returned, stock-held, stock-holders, stock-sold
-- ARGV: token, ttl_ms (0: the show's default), buyer (a hash, or empty), zone, quantity
-- Reply: code (>= 0: left), expires_in_ms, deadline_ms, detail, state
-- Codes: NOT_LOADED, TTL_TOO_LONG, OK, CLOSING, UNKNOWN_ZONE, NOT_ON_SALE, LIMIT_EXCEEDED, SOLD_OUT
-- Keeps: INV-3, INV-5, INV-6, INV-7, INV-8
--
-- detail: the units (OK), the longest TTL in ms (TTL_TOO_LONG), what is left of the closing mark in ms (CLOSING),
-- "opens closes" in ms (NOT_ON_SALE), "limit asked" (LIMIT_EXCEEDED), what is left (SOLD_OUT).
-- Units come from three places: the returned ones, those of lapsed holds, and the fresh ones from stock-next up. After a
-- load the fresh counter starts at 1 and walks over what is sold, once.

local show_key, hold_key, held_key, events_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local FIRST_PLACE_KEY = 5
local next_key, returned_key, units_held_key, holders_key, sold_key = KEYS[6], KEYS[7], KEYS[8], KEYS[9], KEYS[10]
local token, ttl_ms, buyer, zone, quantity = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4], tonumber(ARGV[5])
local LAPSED_PER_CALL = 200

-- Check pass.
local now_ms = clock()
local policy = redis.call('HMGET', show_key, 'maxTtl', 'ttl', 'opens', 'closes', 'perHold', 'zone:' .. zone, 'closing')
if not policy[1] then return {-2, 0, 0, '', ''} end
if ttl_ms > tonumber(policy[1]) then return {-3, 0, 0, policy[1], ''} end
if ttl_ms == 0 then ttl_ms = tonumber(policy[2]) end
local capacity = tonumber(policy[6] or 0)
local free_count = capacity - redis.call('HLEN', sold_key) - redis.call('ZCOUNT', units_held_key, '(' .. now_ms, '+inf')
free_count = math.max(free_count, 0)

local known = redis.call('HMGET', hold_key, 'state', 'deadline', 'places')
if known[1] then
  local left_ms, state = tonumber(known[2]) - now_ms, known[1]
  if state == 'active' and left_ms <= 0 then state = 'expired' end
  if state ~= 'active' and state ~= 'confirming' or left_ms < 0 then left_ms = 0 end
  return {free_count, left_ms, tonumber(known[2]), known[3], state}
end
local function closing_or(refusal)
  if not policy[7] then return refusal end
  return {-15, 0, 0, tostring(tonumber(string.match(policy[7], '^(%d+)')) - now_ms), ''}
end
if not policy[6] then return closing_or({-11, 0, 0, '', ''}) end
if now_ms < tonumber(policy[3]) or now_ms >= tonumber(policy[4]) then
  return {-5, 0, 0, policy[3] .. ' ' .. policy[4], ''}
end
if quantity > tonumber(policy[5]) then return {-6, 0, 0, policy[5] .. ' ' .. quantity, ''} end

local lapsed = redis.call('ZRANGEBYSCORE', units_held_key, '-inf', now_ms, 'LIMIT', 0, LAPSED_PER_CALL)
local function names(numbers)
  local units = {}
  for i = 1, #numbers do units[i] = zone .. '-' .. numbers[i] end
  return units
end
local function give_back_lapsed()
  if #lapsed == 0 then return end
  local units = names(lapsed)
  local face = units_face(FIRST_PLACE_KEY, units, zone, show_key)
  for i = 1, #units do face.let_go(i) end
  redis.call('ZREM', held_key, unpack(units))
  event(events_key, 'expired', units)
  face.recount()
end
if free_count < quantity then
  -- The one write of a refusal: what lapsed goes back first, so that the next buyer finds it.
  give_back_lapsed()
  return closing_or({-1, 0, 0, tostring(free_count), ''})
end

local chosen, taken = {}, {}
local function choose(candidates)
  for _, n in ipairs(candidates) do
    if #chosen < quantity and not taken[n] and tonumber(n) <= capacity then
      taken[n] = true
      chosen[#chosen + 1] = n
    end
  end
end
choose(redis.call('ZRANGEBYSCORE', returned_key, 1, capacity, 'LIMIT', 0, quantity))
choose(lapsed)
local next_fresh = tonumber(redis.call('GET', next_key) or 1)
local step = quantity
while #chosen < quantity and next_fresh <= capacity do
  local candidates = {}
  for n = next_fresh, math.min(next_fresh + step - 1, capacity) do candidates[#candidates + 1] = tostring(n) end
  local bought = redis.call('HMGET', sold_key, unpack(candidates))
  local holder = redis.call('HMGET', holders_key, unpack(candidates))
  for i, n in ipairs(candidates) do
    if #chosen == quantity then break end
    if not bought[i] and not holder[i] then choose({n}) end
    next_fresh = tonumber(n) + 1
  end
  step = math.min(step * 2, 1000)
end
if #chosen < quantity then
  give_back_lapsed()
  return closing_or({-1, 0, 0, tostring(#chosen), ''})
end

-- Write pass. The first command is one that a full Redis refuses, so a hold is refused whole.
local deadline_ms = now_ms + ttl_ms
local units = names(chosen)
local places = table.concat(units, ' ')
redis.call('HSET', hold_key, 'state', 'active', 'places', places, 'zone', zone, 'created', now_ms,
  'deadline', deadline_ms, 'buyer', buyer)
redis.call('PEXPIRE', hold_key, ttl_ms + DAY_MS)
redis.call('SET', next_key, next_fresh)
give_back_lapsed()
local face = units_face(FIRST_PLACE_KEY, units, zone, show_key)
local index = {}
for i = 1, #units do
  face.take(i, token, deadline_ms)
  index[2 * i - 1], index[2 * i] = deadline_ms, units[i]
end
face.recount()
redis.call('ZADD', held_key, unpack(index))
event(events_key, 'held', units, 'until', deadline_ms)
return {free_count - quantity, ttl_ms, deadline_ms, places, 'active'}
