#!lua flags=allow-oom
--@ lib/places.lua

-- Puts a range of a zone's units right: each is fresh, returned, held or sold, and never two of these; then the stock.
--
-- Race: a replica that was promoted has half of what a script had written; nothing else tears a unit in two.
-- KEYS: show, held, events, stock, stock-next, stock-returned, stock-held, stock-holders, stock-sold
-- ARGV: zone, first, last (numbers, a thousand at most), dry_run (0 or 1)
-- Reply: code, wrong
-- Codes: NOT_LOADED, UNKNOWN_ZONE, OK
-- Keeps: INV-3, INV-6, INV-7
--
-- wrong: units that were in two states or in none, and with the first range 1 more if the stock was not what its units
-- say. Sold wins over
-- held, held over returned. A holder without a deadline would never lapse, and holds nothing.

local show_key, held_key, events_key = KEYS[1], KEYS[2], KEYS[3]
local stock_key, next_key, returned_key = KEYS[4], KEYS[5], KEYS[6]
local units_held_key, holders_key, sold_key = KEYS[7], KEYS[8], KEYS[9]
local zone, first, last, dry_run = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == '1'

-- Check pass.
local show = redis.call('HMGET', show_key, 'epoch', 'zone:' .. zone)
if not show[1] then return {-2, 0} end
if not show[2] then return {-11, 0} end
local capacity = tonumber(show[2])
local next_fresh = tonumber(redis.call('GET', next_key) or 1)
local numbers = {}
for n = first, last do numbers[#numbers + 1] = tostring(n) end
local bought, holder, deadline, returned = {}, {}, {}, {}
if #numbers > 0 then
  bought = redis.call('HMGET', sold_key, unpack(numbers))
  holder = redis.call('HMGET', holders_key, unpack(numbers))
  deadline = redis.call('ZMSCORE', units_held_key, unpack(numbers))
  returned = redis.call('ZMSCORE', returned_key, unpack(numbers))
end
local let_go, take_back, give_back = {}, {}, {}
local wrong, held_fewer = 0, 0
for i, n in ipairs(numbers) do
  local held = holder[i] and deadline[i] and not bought[i]
  local was_handed_out = tonumber(n) < next_fresh and tonumber(n) <= capacity
  local torn = not held and (holder[i] or deadline[i])
  local doubled = returned[i] and (held or bought[i])
  local forgotten = was_handed_out and not held and not bought[i] and not returned[i]
  if torn then let_go[#let_go + 1] = n end
  if torn and deadline[i] then held_fewer = held_fewer + 1 end
  if doubled then take_back[#take_back + 1] = n end
  if forgotten then give_back[#give_back + 1] = n end
  if torn or doubled or forgotten then wrong = wrong + 1 end
end
local left = capacity - redis.call('ZCARD', units_held_key) - redis.call('HLEN', sold_key)
if first == 1 and tonumber(redis.call('GET', stock_key) or 'nan') ~= left then wrong = wrong + 1 end
if dry_run or wrong == 0 then return {0, wrong} end

-- Write pass.
if #let_go > 0 then
  redis.call('ZREM', units_held_key, unpack(let_go))
  redis.call('HDEL', holders_key, unpack(let_go))
  local units = unit_names(zone, let_go)
  redis.call('ZREM', held_key, unpack(units))
  event(events_key, 'freed', units)
end
if #take_back > 0 then redis.call('ZREM', returned_key, unpack(take_back)) end
for _, n in ipairs(give_back) do redis.call('ZADD', returned_key, n, n) end
redis.call('SET', stock_key, left + held_fewer)
return {0, wrong}
