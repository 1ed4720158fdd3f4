-- Fires one rung, if the ask still stands on it. Answers 1, or 0 when it moved.
-- KEYS: run, ask, due, log
-- ARGV: skew, ask id, run id, tenant, rung, next rung, event, note, next due ms or ''
local now = clock(ARGV[1])
local ask = redis.call('HMGET', KEYS[2], 'status', 'rung')
if ask[1] ~= 'pending' or (ask[2] or '0') ~= ARGV[5] then
  return 0
end
redis.call('HSET', KEYS[2], 'rung', ARGV[6])
if ARGV[9] ~= '' then
  redis.call('ZADD', KEYS[3], ARGV[9], ARGV[2])
else
  redis.call('ZREM', KEYS[3], ARGV[2])
end
if ARGV[7] ~= '' then
  record(KEYS[4], KEYS[1], ARGV[7], ARGV[3], ARGV[2], ARGV[4], now, ARGV[8])
end
return 1
