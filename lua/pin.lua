#!lua flags=allow-oom
-- Fixes a hold while its booking is written: it can neither lapse nor be released, extended or swapped.
--
-- Race: the hold lapses, or its owner releases it, between the check and the conditional put of a confirm.
-- KEYS: show, hold, held, events, confirming, place-keys...
-- ARGV: token, pin_ms, payment (JSON, or empty), order (or empty), buyer (a hash, or empty), restores (booking, or empty), zone (empty: seats), place...
-- Reply: code, confirmed_at_ms, payments (each a line of JSON), order, buyer, places, first
-- Codes: NOT_LOADED, HOLD_LOST, DECIDED, OTHER_PLACES, IN_PROGRESS, CLOSING, AGAIN, OK
-- Keeps: INV-3, INV-4, INV-5, INV-6, INV-10
--
-- The order, buyer and confirmed_at_ms of the first pin are kept and answered to every later one, also to one that finds the
-- hold lost. A payment that no earlier pin brought is added to payments before anything else happens, so that it survives the
-- process of its confirm: the first one is what the decision is about. While a token is in `confirming` the record of its hold
-- has no TTL. IN_PROGRESS: it has too many payments that are not on record yet.
-- places: those that are pinned (OK), or those that are gone (HOLD_LOST). OTHER_PLACES: the hold has other places than the
-- call names: read it again. CLOSING answers what is left of the closing mark in ms in place of confirmed_at_ms. A hold that
-- has lapsed is taken again if the show says `rescue` and every place is free. If Redis has lost the hold, the places are the
-- caller's, and they are judged as a new hold would be, sale window and limit included. A restore takes the places of its
-- booking, whatever the sale window and the limits say, and nothing else pins its hold. Units are interchangeable: in place of
-- one that is gone another is taken, and first has those that were answered first. AGAIN: more of the zone has to be walked
-- than one call may.

local show_key, hold_key, held_key, events_key, confirming_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local FIRST_PLACE_KEY, FIRST_PLACE, MAX_PAYMENTS = 6, 8, 32
local token, pin_ms, payment, order, buyer = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4], ARGV[5]
local restores, zone = ARGV[6], ARGV[7]
local places = {unpack(ARGV, FIRST_PLACE)}

-- Check pass.
local now_ms = clock()
local policy = redis.call('HMGET', show_key, 'maxLife', 'late', 'opens', 'closes', 'perHold', 'closing', 'zone:' .. zone)
if not policy[1] then return {-2, 0, '', '', '', '', ''} end
local hold = redis.call('HMGET', hold_key, 'state', 'deadline', 'created', 'confirmedAt', 'payments', 'order', 'buyer', 'first', 'places', 'restores', 'zone', 'lapses')
local state, deadline_ms, created_ms = hold[1], tonumber(hold[2] or 0), tonumber(hold[3] or now_ms)
if hold[10] and hold[10] ~= restores then return {-8, 0, '', '', '', '', ''} end
if state == 'confirmed' or state == 'refused' then return {-12, 0, '', '', '', '', ''} end
if state == 'released' then return {-8, 0, '', '', '', '', ''} end
-- What the hold has counts, and not what the caller names.
if state then
  if (hold[11] or '') ~= zone or zone == '' and table.concat(places, ' ') ~= hold[9] then return {-21, 0, '', '', '', '', ''} end
  places = {}
  for place in string.gmatch(hold[9], '%S+') do places[#places + 1] = place end
end
local payments, brings_one = hold[5] or '', false
if payment ~= '' and not string.find('\n' .. payments .. '\n', '\n' .. payment .. '\n', 1, true) then
  local _, count = string.gsub(payments, '[^\n]+', '')
  if count >= MAX_PAYMENTS then return {-9, 0, '', '', '', '', ''} end
  payments, brings_one = payments == '' and payment or payments .. '\n' .. payment, true
end
local function lost(gone)
  local names, was_pinned = {}, state == 'confirming'
  for i, position in ipairs(gone) do names[i] = places[position] end
  -- The one write of a refusal: the token is in `confirming`, and its payments are settled with it.
  if was_pinned and brings_one then redis.call('HSET', hold_key, 'payments', payments) end
  return {-8, was_pinned and tonumber(hold[4]) or 0, payments, hold[6] or '', hold[7] or '', table.concat(names, ' '), ''}
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

-- Write pass. A pin never reaches beyond one pin after the longest life and the hold's own deadline, whichever is later.
local lapses_ms = state == 'confirming' and in_time and tonumber(hold[12]) or in_time and deadline_ms or now_ms
local furthest_ms = math.max(created_ms + tonumber(policy[1]), lapses_ms) + pin_ms
local until_ms = math.min(now_ms + pin_ms, furthest_ms)
if in_time then until_ms = math.max(until_ms, deadline_ms) end
local index = {}
for i = 1, #places do
  face.take(i, token, until_ms)
  index[2 * i - 1], index[2 * i] = until_ms, places[i]
end
if next_fresh then redis.call('SET', KEYS[FIRST_PLACE_KEY + 1], next_fresh) end
face.apply()
local names = table.concat(places, ' ')
if state ~= 'confirming' then
  hold[4], hold[6], hold[7] = now_ms, order, hold[7] or buyer
  redis.call('HSET', hold_key, 'state', 'confirming', 'confirmedAt', now_ms, 'order', order, 'buyer', hold[7])
  if zone ~= '' then redis.call('HSET', hold_key, 'zone', zone) end
  if restores ~= '' then redis.call('HSET', hold_key, 'restores', restores) end
end
redis.call('HSET', hold_key, 'places', names, 'first', first, 'created', created_ms, 'deadline', until_ms, 'lapses', lapses_ms, 'payments', payments)
redis.call('PERSIST', hold_key)
redis.call('ZADD', held_key, unpack(index))
redis.call('ZADD', confirming_key, now_ms, token)
event(events_key, live and 'extended' or 'held', places, 'until', until_ms)
return {0, tonumber(hold[4]), payments, hold[6], hold[7], names, first}
