#!lua
-- Seats and units behind one face, for the scripts that move places, or look at them. It is put in front of each of them. A face reads all of its places at once, then writes them one by one:
--
--   read(now_ms, token) -> sold, holder   sold[i]: false (no such place), '' (for sale) or a booking id;
--                                         holder[i]: the token that has place i now, or false
--   take(i, token, deadline_ms)           held by the token until the deadline
--   let_go(i)                             held by nobody, for sale again
--   sell(i, booking)                      sold to the booking, held by nobody
--   unsell(i)                             for sale again
--   recount()                             the zone's stock, from its units, after any of these
--
-- The keys of the places come last in KEYS, from `first_key`: seats, seat-hold... for seats, and stock, stock-next,
-- stock-returned, stock-held, stock-holders, stock-sold for the units of a zone.

local DAY_MS = 86400000
local EVENTS_KEPT = 100000

local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

local function seats_face(first_key, seats)
  local seats_key, face = KEYS[first_key], {}
  local function lock(i) return KEYS[first_key + i] end
  function face.read()
    if #seats == 0 then return {}, {} end
    return redis.call('HMGET', seats_key, unpack(seats)), redis.call('MGET', unpack(KEYS, first_key + 1))
  end
  -- Redis drops a key once its time has passed: a millisecond before, so that it is gone when the deadline is reached.
  function face.take(i, token, deadline_ms) redis.call('SET', lock(i), token, 'PXAT', deadline_ms - 1) end
  function face.let_go(i) redis.call('DEL', lock(i)) end
  function face.sell(i, booking)
    redis.call('DEL', lock(i))
    redis.call('HSET', seats_key, seats[i], booking)
  end
  function face.unsell(i) redis.call('HSET', seats_key, seats[i], '') end
  function face.recount() end
  return face
end

local function units_face(first_key, units, zone, show_key)
  local stock_key, next_key, returned_key = KEYS[first_key], KEYS[first_key + 1], KEYS[first_key + 2]
  local held_key, holders_key, sold_key = KEYS[first_key + 3], KEYS[first_key + 4], KEYS[first_key + 5]
  local capacity = tonumber(redis.call('HGET', show_key, 'zone:' .. zone) or 0)
  local number, face = {}, {}
  for i = 1, #units do number[i] = string.sub(units[i], #zone + 2) end

  -- A unit that was handed out once and is free again is `returned`; one from the fresh counter upwards is fresh
  -- whenever nobody holds or has bought it.
  local function give_back(i)
    local next_fresh = tonumber(redis.call('GET', next_key) or 1)
    if tonumber(number[i]) < next_fresh then redis.call('ZADD', returned_key, number[i], number[i]) end
  end
  function face.read(now_ms, token)
    if #number == 0 then return {}, {} end
    local bought = redis.call('HMGET', sold_key, unpack(number))
    local holder = redis.call('HMGET', holders_key, unpack(number))
    local deadline = redis.call('ZMSCORE', held_key, unpack(number))
    local sold = {}
    for i = 1, #number do
      sold[i] = bought[i] or tonumber(number[i]) <= capacity and '' or holder[i] and '' or false
      -- A lapsed unit that nobody has touched since is free for everybody but its last holder.
      if holder[i] and holder[i] ~= token and tonumber(deadline[i] or 0) <= now_ms then holder[i] = false end
    end
    return sold, holder
  end
  function face.take(i, token, deadline_ms)
    redis.call('ZADD', held_key, deadline_ms, number[i])
    redis.call('HSET', holders_key, number[i], token)
    redis.call('ZREM', returned_key, number[i])
  end
  function face.let_go(i)
    redis.call('ZREM', held_key, number[i])
    redis.call('HDEL', holders_key, number[i])
    give_back(i)
  end
  function face.sell(i, booking)
    redis.call('ZREM', held_key, number[i])
    redis.call('HDEL', holders_key, number[i])
    redis.call('ZREM', returned_key, number[i])
    redis.call('HSET', sold_key, number[i], booking)
  end
  function face.unsell(i)
    redis.call('HDEL', sold_key, number[i])
    give_back(i)
  end
  function face.recount()
    redis.call('SET', stock_key, capacity - redis.call('ZCARD', held_key) - redis.call('HLEN', sold_key))
  end
  return face
end

local function places_face(first_key, zone, places, show_key)
  if zone == '' then return seats_face(first_key, places) end
  return units_face(first_key, places, zone, show_key)
end

local function event(events_key, what, places, ...)
  redis.call('XADD', events_key, 'MAXLEN', '~', EVENTS_KEPT, '*', what, table.concat(places, ' '), ...)
end

-- Numbers of units that nobody has, `quantity` at most and none of `except` (which the caller takes anyhow): the returned
-- ones, those of lapsed holds, then fresh ones. After a load the fresh counter starts at 1 and walks over what is sold,
-- once, a bounded part of it a call. Answers the numbers, the fresh counter after them, the lapsed units that it met,
-- chosen or not, and whether it is done: else it has to be called again, after keep_walk.
local LAPSED_PER_CALL = 200
local WALK_PER_CALL = 5000
local function free_units(first_key, capacity, now_ms, quantity, except)
  local next_key, returned_key, held_key = KEYS[first_key + 1], KEYS[first_key + 2], KEYS[first_key + 3]
  local holders_key, sold_key = KEYS[first_key + 4], KEYS[first_key + 5]
  local chosen, taken = {}, {}
  for _, n in ipairs(except) do taken[n] = true end
  local function choose(candidates)
    for _, n in ipairs(candidates) do
      if #chosen < quantity and not taken[n] and tonumber(n) <= capacity then
        taken[n] = true
        chosen[#chosen + 1] = n
      end
    end
  end
  local lapsed = redis.call('ZRANGEBYSCORE', held_key, '-inf', now_ms, 'LIMIT', 0, LAPSED_PER_CALL)
  choose(redis.call('ZRANGEBYSCORE', returned_key, 1, capacity, 'LIMIT', 0, quantity + #except))
  choose(lapsed)
  local next_fresh = tonumber(redis.call('GET', next_key) or 1)
  local step, last = quantity, next_fresh + WALK_PER_CALL
  while #chosen < quantity and next_fresh <= capacity and next_fresh < last do
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
  return chosen, next_fresh, lapsed, #chosen == quantity or next_fresh > capacity
end

-- Keeps how far a walk came. Units that it passed and that nobody takes now, `free` among them, are returned ones then.
local function keep_walk(first_key, next_fresh, free)
  local next_key, returned_key, holders_key = KEYS[first_key + 1], KEYS[first_key + 2], KEYS[first_key + 4]
  redis.call('SET', next_key, next_fresh)
  for _, n in ipairs(free) do
    if tonumber(n) < next_fresh and redis.call('HEXISTS', holders_key, n) == 0 then
      redis.call('ZADD', returned_key, n, n)
    end
  end
end

local function unit_names(zone, numbers)
  local units = {}
  for i = 1, #numbers do units[i] = zone .. '-' .. numbers[i] end
  return units
end

-- Lets lapsed units go back, and tells of it.
local function expire_units(first_key, zone, lapsed, show_key, held_key, events_key)
  if #lapsed == 0 then return end
  local units = unit_names(zone, lapsed)
  local face = units_face(first_key, units, zone, show_key)
  for i = 1, #units do face.let_go(i) end
  face.recount()
  redis.call('ZREM', held_key, unpack(units))
  event(events_key, 'expired', units)
end

-- Places of a zone, and after them what else the hold has: other units may have taken the place of some since they were read.
local function with_rest(places, zone, held)
  if zone == '' or not held then return places end
  local named, all = {}, {}
  for i, place in ipairs(places) do
    named[place], all[i] = true, place
  end
  for place in string.gmatch(held, '%S+') do
    if not named[place] then all[#all + 1] = place end
  end
  return all
end

-- Takes a number of units of a zone for one hold, or none.
--
-- Race: two buyers take the last units in the same instant; a lapsed unit is asked for while nobody tidies up.
-- KEYS: show, held, events, stock, stock-next, stock-returned, stock-held, stock-holders, stock-sold, hold...
-- ARGV: token, ttl_ms (0: the show's default), buyer (a hash, or empty), request (a hash, or empty), zone, quantity
-- Reply: code (>= 0: left), expires_in_ms, deadline_ms, detail, state, which, booking
-- Codes: NOT_LOADED, TTL_TOO_LONG, MISMATCH, OK, CLOSING, UNKNOWN_ZONE, NOT_ON_SALE, LIMIT_EXCEEDED, SOLD_OUT, AGAIN
-- Keeps: INV-3, INV-5, INV-6, INV-7, INV-8
--
-- detail: the units (OK), the longest TTL in ms (TTL_TOO_LONG), what is left of the closing mark in ms (CLOSING),
-- "opens closes" in ms (NOT_ON_SALE), "limit asked" (LIMIT_EXCEEDED), what is left (SOLD_OUT). The first hold is the one
-- that is made; a request that comes again may be known under another one of them: which. booking: of a known one, once it
-- is decided. AGAIN: more of the zone has to be walked than one call may.

local show_key, held_key, events_key = KEYS[1], KEYS[2], KEYS[3]
local FIRST_PLACE_KEY, FIRST_HOLD_KEY = 4, 10
local next_key, units_held_key, sold_key, hold_key = KEYS[5], KEYS[7], KEYS[9], KEYS[10]
local token, ttl_ms, buyer, request = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local zone, quantity = ARGV[5], tonumber(ARGV[6])

-- Check pass.
local now_ms = clock()
local policy = redis.call('HMGET', show_key, 'maxTtl', 'ttl', 'opens', 'closes', 'perHold', 'zone:' .. zone, 'closing')
if not policy[1] then return {-2, 0, 0, '', '', 0, ''} end
if ttl_ms > tonumber(policy[1]) then return {-3, 0, 0, policy[1], '', 0, ''} end
if ttl_ms == 0 then ttl_ms = tonumber(policy[2]) end
local capacity = tonumber(policy[6] or 0)
local free_count = capacity - redis.call('HLEN', sold_key) - redis.call('ZCOUNT', units_held_key, '(' .. now_ms, '+inf')
free_count = math.max(free_count, 0)

for which = 1, #KEYS - FIRST_HOLD_KEY + 1 do
  local known = redis.call('HMGET', KEYS[FIRST_HOLD_KEY + which - 1], 'state', 'deadline', 'places', 'request', 'booking')
  if known[1] then
    if known[4] and known[4] ~= request then return {-18, 0, 0, '', '', 0, ''} end
    local left_ms, state = tonumber(known[2]) - now_ms, known[1]
    if state == 'active' and left_ms <= 0 then state = 'expired' end
    if state ~= 'active' and state ~= 'confirming' or left_ms < 0 then left_ms = 0 end
    return {free_count, left_ms, tonumber(known[2]), known[3], state, which, known[5] or ''}
  end
end
local function closing_or(refusal)
  if not policy[7] then return refusal end
  return {-15, 0, 0, tostring(tonumber(string.match(policy[7], '^(%d+)')) - now_ms), '', 0, ''}
end
if not policy[6] then return closing_or({-11, 0, 0, '', '', 0, ''}) end
if now_ms < tonumber(policy[3]) or now_ms >= tonumber(policy[4]) then
  return {-5, 0, 0, policy[3] .. ' ' .. policy[4], '', 0, ''}
end
if quantity > tonumber(policy[5]) then return {-6, 0, 0, policy[5] .. ' ' .. quantity, '', 0, ''} end

local function sold_out(left)
  -- The one write of a refusal: what lapsed goes back first, so that the next buyer finds it.
  local lapsed = redis.call('ZRANGEBYSCORE', units_held_key, '-inf', now_ms, 'LIMIT', 0, LAPSED_PER_CALL)
  expire_units(FIRST_PLACE_KEY, zone, lapsed, show_key, held_key, events_key)
  return closing_or({-1, 0, 0, tostring(left), '', 0, ''})
end
if free_count < quantity then return sold_out(free_count) end
local chosen, next_fresh, lapsed, is_done = free_units(FIRST_PLACE_KEY, capacity, now_ms, quantity, {})
if not is_done then
  keep_walk(FIRST_PLACE_KEY, next_fresh, chosen)
  return {-19, 0, 0, '', '', 0, ''}
end
if #chosen < quantity then return sold_out(#chosen) end

-- Write pass. The first command is one that a full Redis refuses, so a hold is refused whole.
local deadline_ms = now_ms + ttl_ms
local units = unit_names(zone, chosen)
local places = table.concat(units, ' ')
redis.call('HSET', hold_key, 'state', 'active', 'places', places, 'zone', zone, 'created', now_ms,
  'deadline', deadline_ms, 'buyer', buyer, 'request', request)
redis.call('PEXPIRE', hold_key, ttl_ms + DAY_MS)
redis.call('SET', next_key, next_fresh)
expire_units(FIRST_PLACE_KEY, zone, lapsed, show_key, held_key, events_key)
local face = units_face(FIRST_PLACE_KEY, units, zone, show_key)
local index = {}
for i = 1, #units do
  face.take(i, token, deadline_ms)
  index[2 * i - 1], index[2 * i] = deadline_ms, units[i]
end
face.recount()
redis.call('ZADD', held_key, unpack(index))
event(events_key, 'held', units, 'until', deadline_ms)
return {free_count - quantity, ttl_ms, deadline_ms, places, 'active', 1, ''}
