-- Seats and units behind one face, for the scripts that move places, or look at them. It is put in front of each of them.
-- A face reads all of its places at once, is told what becomes of each, and then writes:
--
--   read(now_ms, token) -> sold, holder   sold[i]: false (no such place), '' (for sale) or a booking id;
--                                         holder[i]: the token that has place i now, or false
--   take(i, token, deadline_ms)           held by the token until the deadline
--   let_go(i)                             held by nobody, for sale again
--   sell(i, booking)                      sold to the booking, held by nobody
--   unsell(i)                             for sale again
--   apply()                               writes all of these, and the zone's stock
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
  function face.apply() end
  return face
end

local function units_face(first_key, units, zone, show_key)
  local stock_key, next_key, returned_key = KEYS[first_key], KEYS[first_key + 1], KEYS[first_key + 2]
  local held_key, holders_key, sold_key = KEYS[first_key + 3], KEYS[first_key + 4], KEYS[first_key + 5]
  local capacity = tonumber(redis.call('HGET', show_key, 'zone:' .. zone) or 0)
  local number, face = {}, {}
  for i = 1, #units do number[i] = string.sub(units[i], #zone + 2) end
  -- What each key gets, and what it loses.
  local held, holders, sold, free = {}, {}, {}, {}
  local unheld, unsold, unreturned = {}, {}, {}
  local function add(list, ...)
    for _, value in ipairs({...}) do list[#list + 1] = value end
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
    add(held, deadline_ms, number[i])
    add(holders, number[i], token)
    add(unreturned, number[i])
  end
  function face.let_go(i)
    add(unheld, number[i])
    add(free, number[i])
  end
  function face.sell(i, booking)
    add(sold, number[i], booking)
    add(unheld, number[i])
    add(unreturned, number[i])
  end
  function face.unsell(i)
    add(unsold, number[i])
    add(free, number[i])
  end
  -- Everything is read before anything is written, and each key gets what it gets before it loses what it loses, once: one
  -- that has lost its last member is gone, and while a slot moves no script may ask for a key that is gone.
  function face.apply()
    local held_count, sold_count = redis.call('ZCARD', held_key), redis.call('HLEN', sold_key)
    local next_fresh, returned = tonumber(redis.call('GET', next_key) or 1), {}
    -- A unit that was handed out once and is free again is `returned`; one from the fresh counter upwards is fresh
    -- whenever nobody holds or has bought it.
    for _, n in ipairs(free) do
      if tonumber(n) < next_fresh then add(returned, n, n) end
    end
    if #held > 0 then
      held_count = held_count + redis.call('ZADD', held_key, unpack(held))
      redis.call('HSET', holders_key, unpack(holders))
    end
    if #sold > 0 then sold_count = sold_count + redis.call('HSET', sold_key, unpack(sold)) end
    if #returned > 0 then redis.call('ZADD', returned_key, unpack(returned)) end
    if #unheld > 0 then
      held_count = held_count - redis.call('ZREM', held_key, unpack(unheld))
      redis.call('HDEL', holders_key, unpack(unheld))
    end
    if #unsold > 0 then sold_count = sold_count - redis.call('HDEL', sold_key, unpack(unsold)) end
    if #unreturned > 0 then redis.call('ZREM', returned_key, unpack(unreturned)) end
    redis.call('SET', stock_key, capacity - held_count - sold_count)
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
  face.apply()
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

-- Takes a decided token out of the list of those that are being confirmed, and lets the record of its hold end after a day,
-- if each of the `payments` that its confirms brought (nil: it was not pinned) is among those that are `recorded`. Otherwise
-- both stay, and a reconcile finds them. `ends`: the hold ends now.
local function end_token(hold_key, confirming_key, token, payments, recorded, ends)
  for payment in string.gmatch(payments or '', '[^\n]+') do
    if not string.find('\n' .. recorded .. '\n', '\n' .. payment .. '\n', 1, true) then return end
  end
  if payments then redis.call('HDEL', hold_key, 'payments') end
  if payments or ends then redis.call('PEXPIRE', hold_key, DAY_MS) end
  redis.call('ZREM', confirming_key, token)
end
