#!lua

-- Lowers the capacity of a zone, if what is held and sold fits into it.
--
-- Race: a zone is made smaller while somebody holds its last units.
-- KEYS: show, stock, stock-next, stock-returned, stock-held, stock-holders, stock-sold
-- ARGV: version (the one with the new capacity), mark (names this replacement), closing_ms, zone, capacity (0: the zone goes)
-- Reply: code, detail
-- Codes: NOT_LOADED, IN_PROGRESS, IN_USE, OK
-- Keeps: INV-7
--
-- detail: units in use, a hundred at most. The closing mark is that of close_seats.

local show_key, stock_key, next_key, returned_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local units_held_key, holders_key, sold_key = KEYS[5], KEYS[6], KEYS[7]
local version, mark, closing_ms = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3])
local zone, capacity = ARGV[4], tonumber(ARGV[5])

-- Check pass.
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local show = redis.call('HMGET', show_key, 'epoch', 'closing', 'version')
if not show[1] then return {-2, ''} end
if tonumber(show[3]) >= version then return {-9, ''} end
if show[2] then
  local until_ms, its_mark = string.match(show[2], '^(%d+) (%S+)$')
  if its_mark ~= mark and now_ms < tonumber(until_ms) then return {-9, ''} end
end
local held_count = redis.call('ZCOUNT', units_held_key, '(' .. now_ms, '+inf')
local sold_count = redis.call('HLEN', sold_key)
if held_count + sold_count > capacity then
  local units = {}
  for _, n in ipairs(redis.call('ZRANGEBYSCORE', units_held_key, '(' .. now_ms, '+inf', 'LIMIT', 0, 100)) do
    units[#units + 1] = zone .. '-' .. n
  end
  local sold = redis.call('HSCAN', sold_key, 0, 'COUNT', 100)[2]
  for i = 1, #sold, 2 do
    if #units < 100 then units[#units + 1] = zone .. '-' .. sold[i] end
  end
  return {-16, table.concat(units, ' ')}
end

-- Write pass.
redis.call('HSET', show_key, 'closing', (now_ms + closing_ms) .. ' ' .. mark, 'zone:' .. zone, capacity)
if capacity == 0 then
  redis.call('DEL', stock_key, next_key, returned_key, units_held_key, holders_key, sold_key)
else
  -- The stock is units that nobody has: lapsed ones still count as held here, as everywhere.
  redis.call('SET', stock_key, capacity - redis.call('ZCARD', units_held_key) - sold_count)
end
return {0, ''}
