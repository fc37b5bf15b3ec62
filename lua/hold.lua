#!lua
-- Takes every named seat for one hold, or none of them.
--
-- Race: two buyers ask for one seat, or for overlapping groups, in the same instant; one script judges and takes them all.
-- KEYS: show, seats, held, events, hold..., seat-hold...
-- ARGV: token, epoch (the one that the tokens are derived from; empty: none), ttl_ms (0: the show's default), buyer (a hash, or empty), request (a hash, or empty), hold_count, seat...
-- Reply: code, expires_in_ms, deadline_ms, detail, which, booking, places
-- Codes: NOT_LOADED, OTHER_EPOCH, MISMATCH, HOLD_LOST, OK, TTL_TOO_LONG, CLOSING, UNKNOWN_PLACE, NOT_ON_SALE, LIMIT_EXCEEDED, UNAVAILABLE
-- Keeps: INV-3, INV-5, INV-6, INV-8
--
-- detail: the state of the hold (OK, HOLD_LOST), the epoch of the show (OTHER_EPOCH), the longest TTL in ms (TTL_TOO_LONG),
-- what is left of the closing mark in ms (CLOSING), positions (UNKNOWN_PLACE), "opens closes" in ms (NOT_ON_SALE),
-- "limit asked" (LIMIT_EXCEEDED), "position:sold" or "position:frees_in_ms" (UNAVAILABLE). The first hold is the one that is
-- made; a repeated request may be known under another one of them: which. booking and places: of the hold (OK, HOLD_LOST).
-- A repeat is answered before every rule that needs the show's policy.

local show_key, seats_key, held_key, events_key, hold_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local token, epoch, ttl_ms, buyer, request = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5]
local hold_count = tonumber(ARGV[6])
local FIRST_HOLD_KEY, FIRST_LOCK, FIRST_SEAT = 5, 5 + hold_count, 7
local count = #KEYS - FIRST_LOCK + 1
local call, format = redis.call, string.format

local time = call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)

-- Check pass.
local policy = call('HMGET', show_key, 'maxTtl', 'ttl', 'opens', 'closes', 'perHold', 'format', 'epoch')
if not policy[1] then return {-2, 0, 0, '', 0, '', ''} end
-- As lib/format.lua, without a call more.
if policy[6] and policy[6] ~= '1' then return redis.error_reply('FORMAT the show was loaded in layout ' .. policy[6]) end
if epoch ~= '' and policy[7] ~= epoch then return {-20, 0, 0, policy[7], 0, '', ''} end

-- A token that is known already is a repeat of this very call: its reply was lost on the way, or the caller sent the
-- same key again, and then it must ask for the same.
local places, is_mismatch = table.concat(ARGV, ' ', FIRST_SEAT), false
for which = 1, hold_count do
  local known = call('HMGET', KEYS[FIRST_HOLD_KEY + which - 1], 'state', 'deadline', 'request', 'booking', 'places')
  if known[1] then
    -- What was rescued after a loss has no request: then the places have to be the same.
    is_mismatch = known[3] and known[3] ~= request or not known[3] and known[5] ~= places
    if is_mismatch then break end
    local state, left_ms = known[1], tonumber(known[2]) - now_ms
    if state == 'active' and left_ms <= 0 then state = 'expired' end
    local is_live = state == 'active' or state == 'confirming'
    if left_ms < 0 then left_ms = 0 end
    return {is_live and 0 or -8, left_ms, tonumber(known[2]), state, which, known[4] or '', known[5]}
  end
end
if ttl_ms > tonumber(policy[1]) then return {-3, 0, 0, policy[1], 0, '', ''} end
if is_mismatch then return {-18, 0, 0, '', 0, '', ''} end
if ttl_ms == 0 then ttl_ms = tonumber(policy[2]) end

local seats = call('HMGET', seats_key, unpack(ARGV, FIRST_SEAT))
local unknown = {}
for i = 1, count do
  if not seats[i] then unknown[#unknown + 1] = i end
end
if #unknown > 0 then
  local closing = call('HGET', show_key, 'closing')
  if closing then return {-15, 0, 0, tostring(tonumber(string.match(closing, '^(%d+)')) - now_ms), 0, '', ''} end
  return {-4, 0, 0, table.concat(unknown, ' '), 0, '', ''}
end
if now_ms < tonumber(policy[3]) or now_ms >= tonumber(policy[4]) then
  return {-5, 0, 0, policy[3] .. ' ' .. policy[4], 0, '', ''}
end
if count > tonumber(policy[5]) then return {-6, 0, 0, policy[5] .. ' ' .. count, 0, '', ''} end

local taken = {}
for i = 1, count do
  if seats[i] ~= '' then
    taken[#taken + 1] = i .. ':sold'
  else
    -- One question tells whether there is a lock (-2: none) and how long it lasts.
    local left_ms = call('PTTL', KEYS[FIRST_LOCK + i - 1])
    if left_ms ~= -2 then taken[#taken + 1] = i .. ':' .. left_ms + 1 end
  end
end
if #taken > 0 then return {-7, 0, 0, table.concat(taken, ' '), 0, '', ''} end

-- Write pass. The first command is one that a full Redis refuses, so a hold is refused whole. Numbers are made texts
-- once: Redis would print each of them anew, with 17 digits, at every command.
local deadline_ms = now_ms + ttl_ms
-- A key goes once its time has passed: a millisecond before, so that it is gone when the deadline is reached.
local deadline, lock_until = format('%.0f', deadline_ms), format('%.0f', deadline_ms - 1)
for i = 1, count do
  call('SET', KEYS[FIRST_LOCK + i - 1], token, 'PXAT', lock_until)
  call('ZADD', held_key, deadline, ARGV[FIRST_SEAT + i - 1])
end
call('HSET', hold_key, 'state', 'active', 'places', places, 'created', format('%.0f', now_ms), 'deadline', deadline,
  'buyer', buyer, 'request', request)
call('PEXPIRE', hold_key, format('%.0f', ttl_ms + 86400000))
call('XADD', events_key, 'MAXLEN', '~', '100000', '*', 'held', places, 'until', deadline)
return {0, ttl_ms, deadline_ms, 'active', 1, '', places}
