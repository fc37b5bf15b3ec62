#!lua
-- Takes a number of units of a zone for one hold, or none.
--
-- Race: two buyers take the last units in the same instant; a lapsed unit is asked for while nobody tidies up.
-- KEYS: show, held, events, stock, stock-next, stock-returned, stock-held, stock-holders, stock-sold, hold...
-- ARGV: token, epoch (the one that the tokens are derived from; empty: none), ttl_ms (0: the show's default), buyer (a hash, or empty), request (a hash, or empty), zone, quantity
-- Reply: code (>= 0: left), expires_in_ms, deadline_ms, detail, state, which, booking
-- Codes: NOT_LOADED, OTHER_EPOCH, MISMATCH, HOLD_LOST, OK, TTL_TOO_LONG, CLOSING, UNKNOWN_ZONE, NOT_ON_SALE, LIMIT_EXCEEDED, SOLD_OUT, AGAIN
-- Keeps: INV-3, INV-5, INV-6, INV-7, INV-8
--
-- detail: the units (OK, HOLD_LOST), the epoch of the show (OTHER_EPOCH), the longest TTL in ms (TTL_TOO_LONG), what is left
-- of the closing mark in ms (CLOSING), "opens closes" in ms (NOT_ON_SALE), "limit asked" (LIMIT_EXCEEDED), what is left
-- (SOLD_OUT). state: of the hold (OK, HOLD_LOST). The first hold is the one that is made; a repeated request may be known
-- under another one of them: which. booking: of a known one, once it is decided. A repeat is answered before every rule that
-- needs the show's policy. AGAIN: more of the zone has to be walked than one call may.

local show_key, held_key, events_key = KEYS[1], KEYS[2], KEYS[3]
local FIRST_PLACE_KEY, FIRST_HOLD_KEY = 4, 10
local next_key, units_held_key, sold_key, hold_key = KEYS[5], KEYS[7], KEYS[9], KEYS[10]
local token, epoch, ttl_ms, buyer, request = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5]
local zone, quantity = ARGV[6], tonumber(ARGV[7])

-- Check pass.
local now_ms = clock()
local policy = redis.call('HMGET', show_key, 'maxTtl', 'ttl', 'opens', 'closes', 'perHold', 'zone:' .. zone, 'closing', 'epoch')
if not policy[1] then return {-2, 0, 0, '', '', 0, ''} end
if epoch ~= '' and policy[8] ~= epoch then return {-20, 0, 0, policy[8], '', 0, ''} end
local capacity = tonumber(policy[6] or 0)
local free_count = capacity - redis.call('HLEN', sold_key) - redis.call('ZCOUNT', units_held_key, '(' .. now_ms, '+inf')
free_count = math.max(free_count, 0)

local is_mismatch = false
for which = 1, #KEYS - FIRST_HOLD_KEY + 1 do
  local known = redis.call('HMGET', KEYS[FIRST_HOLD_KEY + which - 1], 'state', 'deadline', 'places', 'request', 'booking', 'zone')
  if known[1] then
    -- What was rescued after a loss has no request: then zone and quantity have to be the same.
    local _, its_quantity = string.gsub(known[3], '%S+', '')
    is_mismatch = known[4] ~= request
    if not known[4] then is_mismatch = known[6] ~= zone or its_quantity ~= quantity end
    if is_mismatch then break end
    local left_ms, state = tonumber(known[2]) - now_ms, known[1]
    if state == 'active' and left_ms <= 0 then state = 'expired' end
    local is_live = state == 'active' or state == 'confirming'
    if left_ms < 0 then left_ms = 0 end
    return {is_live and free_count or -8, left_ms, tonumber(known[2]), known[3], state, which, known[5] or ''}
  end
end
if ttl_ms > tonumber(policy[1]) then return {-3, 0, 0, policy[1], '', 0, ''} end
if is_mismatch then return {-18, 0, 0, '', '', 0, ''} end
if ttl_ms == 0 then ttl_ms = tonumber(policy[2]) end
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
face.apply()
redis.call('ZADD', held_key, unpack(index))
event(events_key, 'held', units, 'until', deadline_ms)
return {free_count - quantity, ttl_ms, deadline_ms, places, 'active', 1, ''}
