#!lua flags=allow-oom
--@ lib/places.lua

-- Tells of places who has them.
--
-- Race: a place is sold or freed between this reading and what a reconcile does about it; mark and free judge again.
-- KEYS: show, place-keys...
-- ARGV: zone (empty: seats), place...
-- Reply: code, states
-- Codes: NOT_LOADED, OK
-- Keeps: INV-9, INV-11
--
-- states: of each place that is not simply for sale "position:sold:booking", "position:held:token" or "position:absent",
-- with spaces between. One that is sold and held is told twice.

local show_key = KEYS[1]
local FIRST_PLACE_KEY, FIRST_PLACE = 2, 2
local zone = ARGV[1]
local places = {unpack(ARGV, FIRST_PLACE)}

local now_ms = clock()
if redis.call('EXISTS', show_key) == 0 then return {-2, ''} end
local face = places_face(FIRST_PLACE_KEY, zone, places, show_key)
local sold, holder = face.read(now_ms, '')
local states = {}
for i = 1, #places do
  if not sold[i] then
    states[#states + 1] = i .. ':absent'
  elseif sold[i] ~= '' then
    states[#states + 1] = i .. ':sold:' .. sold[i]
  end
  if holder[i] then states[#states + 1] = i .. ':held:' .. holder[i] end
end
return {0, table.concat(states, ' ')}
