#!lua flags=allow-oom
-- Tells what is known of a token: its state, its places, and how long it still holds them.
--
-- Race: a hold lapses while it is read; the deadline is judged by Redis' clock in the same step.
-- KEYS: show, hold
-- ARGV: (none)
-- Reply: code, state, expires_in_ms, deadline_ms, zone (empty: seats), places, booking (empty: undecided), first (empty: places), restores (empty: no booking), buyer (empty: nobody), payments (each a line of JSON)
-- Codes: NOT_LOADED, HOLD_LOST, OK
-- Keeps: INV-8

local show_key, hold_key = KEYS[1], KEYS[2]

local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)

if redis.call('EXISTS', show_key) == 0 then return {-2, '', 0, 0, '', '', '', '', '', '', ''} end
local hold = redis.call('HMGET', hold_key, 'state', 'deadline', 'zone', 'places', 'booking', 'first', 'restores', 'buyer', 'payments')
local state, deadline_ms = hold[1], tonumber(hold[2])
if not state then return {-8, '', 0, 0, '', '', '', '', '', '', ''} end
if state == 'active' and deadline_ms <= now_ms then state = 'expired' end
local left_ms = 0
if state == 'active' or state == 'confirming' then left_ms = math.max(deadline_ms - now_ms, 0) end
return {
  0, state, left_ms, deadline_ms, hold[3] or '', hold[4], hold[5] or '', hold[6] or '', hold[7] or '', hold[8] or '', hold[9] or ''
}
