#!lua flags=allow-oom
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

-- Fixes a hold while its booking is written: it can neither lapse nor be released, extended or swapped.
--
-- Race: the hold lapses, or its owner releases it, between the check and the conditional put of a confirm.
-- KEYS: show, hold, held, events, confirming, place-keys...
-- ARGV: token, pin_ms, payment (JSON, or empty), order (or empty), buyer (a hash, or empty), restores (booking, or empty), zone (empty: seats), place...
-- Reply: code, confirmed_at_ms, payment, order, buyer, places, first
-- Codes: NOT_LOADED, DECIDED, HOLD_LOST, CLOSING, AGAIN, OK
-- Keeps: INV-3, INV-4, INV-5, INV-6, INV-10
--
-- The payment, order and confirmed_at_ms of the first pin are kept and answered to every later one, also to one that
-- finds the hold lost; the first payment is then what the refusal is about. places: those that are pinned (OK), or
-- those that are gone (HOLD_LOST). CLOSING answers what is left of the closing mark in ms in place of
-- confirmed_at_ms. A hold that has lapsed is taken again if the show says `rescue` and every place is free. If Redis has
-- lost the hold, the places are the caller's, and they are judged as a new hold would be, sale window and limit included:
-- else a made-up token could buy before the sale opens. A restore takes the places of its booking, whatever the sale
-- window and the limits say, and nothing else pins its hold. Nobody chose a unit by name: in place of one that is gone another is taken, and first has
-- those that were answered first. AGAIN: more of the zone has to be walked than one call may.

local show_key, hold_key, held_key, events_key, confirming_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local FIRST_PLACE_KEY, FIRST_PLACE = 6, 8
local token, pin_ms, payment, order, buyer = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4], ARGV[5]
local restores, zone = ARGV[6], ARGV[7]
local places = {unpack(ARGV, FIRST_PLACE)}

-- Check pass.
local now_ms = clock()
local policy = redis.call('HMGET', show_key, 'maxLife', 'late', 'opens', 'closes', 'perHold', 'closing', 'zone:' .. zone)
if not policy[1] then return {-2, 0, '', '', '', '', ''} end
local hold = redis.call('HMGET', hold_key, 'state', 'deadline', 'created', 'confirmedAt', 'payment', 'order', 'buyer', 'first', 'places', 'restores')
local state, deadline_ms, created_ms = hold[1], tonumber(hold[2] or 0), tonumber(hold[3] or now_ms)
if hold[10] and hold[10] ~= restores then return {-8, 0, '', '', '', '', ''} end
if state == 'confirmed' or state == 'refused' then return {-12, 0, '', '', '', '', ''} end
local function lost(gone)
  local names = {}
  for i, position in ipairs(gone) do names[i] = places[position] end
  return {-8, tonumber(hold[4] or 0), hold[5] or '', hold[6] or '', hold[7] or '', table.concat(names, ' '), ''}
end
if state == 'released' then return {-8, 0, '', '', '', '', ''} end

-- Two confirms at once: the other one may have taken other units already.
if zone ~= '' and state == 'confirming' then
  places = {}
  for unit in string.gmatch(hold[9], '%S+') do places[#places + 1] = unit end
end
local face = places_face(FIRST_PLACE_KEY, zone, places, show_key)
local sold, holder = face.read(now_ms, token)
local in_time = (state == 'active' or state == 'confirming') and deadline_ms > now_ms
local capacity = tonumber(policy[7] or 0)
local live, gone, missing, taken, absent = in_time, {}, {}, false, false
for i = 1, #places do
  local mine = holder[i] == token
  live = live and mine
  -- A unit above a capacity that was lowered is handed out no more, but to who has it in time.
  local above = zone ~= '' and not in_time and tonumber(string.sub(places[i], #zone + 2)) > capacity
  if sold[i] ~= '' or holder[i] and not mine or above then gone[#gone + 1] = i end
  if not in_time or not mine then missing[#missing + 1] = i end
  taken = taken or sold[i] and sold[i] ~= '' or holder[i] and not mine
  absent = absent or not sold[i]
end
local first, next_fresh = hold[8] or '', nil
if not live then
  if restores == '' then
    if not in_time and policy[2] ~= 'rescue' then return lost({}) end
    local on_sale = now_ms >= tonumber(policy[3]) and now_ms < tonumber(policy[4])
    if not state and not (on_sale and #places <= tonumber(policy[5])) then return lost({}) end
  end
  if zone == '' and taken then return lost(gone) end
  if absent and policy[6] then
    return {-15, tonumber(string.match(policy[6], '^(%d+)')) - now_ms, '', '', '', '', ''}
  end
  if zone == '' and absent then return lost(gone) end
  if zone ~= '' then
    local held_count = redis.call('ZCOUNT', KEYS[FIRST_PLACE_KEY + 3], '(' .. now_ms, '+inf')
    local free_count = capacity - held_count - redis.call('HLEN', KEYS[FIRST_PLACE_KEY + 5])
    if free_count < #missing then return lost(#gone > 0 and gone or missing) end
  end
  if #gone > 0 then
    local asked, others, _, is_done = {}, nil, nil, nil
    for i = 1, #places do asked[i] = string.sub(places[i], #zone + 2) end
    others, next_fresh, _, is_done = free_units(FIRST_PLACE_KEY, capacity, now_ms, #gone, asked)
    if not is_done then
      for i = 1, #places do
        if sold[i] == '' then others[#others + 1] = asked[i] end
      end
      keep_walk(FIRST_PLACE_KEY, next_fresh, others)
      return {-19, 0, '', '', '', '', ''}
    end
    if #others < #gone then return lost(gone) end
    if first == '' then first = table.concat(places, ' ') end
    for i, unit in ipairs(unit_names(zone, others)) do places[gone[i]] = unit end
    face = places_face(FIRST_PLACE_KEY, zone, places, show_key)
  end
  -- What is taken again after its time begins a new life.
  if not in_time then created_ms = now_ms end
end

-- Write pass. A pin never reaches beyond the longest life plus one pin.
local furthest_ms = created_ms + tonumber(policy[1]) + pin_ms
local until_ms = math.min(now_ms + pin_ms, furthest_ms)
if in_time then until_ms = math.max(until_ms, deadline_ms) end
local index = {}
for i = 1, #places do
  face.take(i, token, until_ms)
  index[2 * i - 1], index[2 * i] = until_ms, places[i]
end
if next_fresh then redis.call('SET', KEYS[FIRST_PLACE_KEY + 1], next_fresh) end
face.recount()
local names = table.concat(places, ' ')
if state ~= 'confirming' then
  hold[4], hold[5], hold[6], hold[7] = now_ms, payment, order, hold[7] or buyer
  redis.call('HSET', hold_key, 'state', 'confirming', 'confirmedAt', now_ms, 'payment', payment, 'order', order, 'buyer', hold[7])
  if zone ~= '' then redis.call('HSET', hold_key, 'zone', zone) end
  if restores ~= '' then redis.call('HSET', hold_key, 'restores', restores) end
end
redis.call('HSET', hold_key, 'places', names, 'first', first, 'created', created_ms, 'deadline', until_ms)
redis.call('PEXPIRE', hold_key, until_ms - now_ms + DAY_MS)
redis.call('ZADD', held_key, unpack(index))
redis.call('ZADD', confirming_key, now_ms, token)
event(events_key, live and 'extended' or 'held', places, 'until', until_ms)
return {0, tonumber(hold[4]), hold[5], hold[6], hold[7], names, first}
