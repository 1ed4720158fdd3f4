-- Takes a dead letter back to work. Answers 1, or 0 if somebody did so before, or it is gone.
-- KEYS: ask or run, due, owed, dead
-- ARGV: skew, ask or run id, dead entry id, group
if redis.call('XDEL', KEYS[4], ARGV[3]) == 0 or redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
local now = whole(clock(ARGV[1]))
if ARGV[4] == 'resume' then
  redis.call('HSET', KEYS[1], 'tries', 0)
  redis.call('SADD', KEYS[3], 'r:' .. ARGV[2])
else
  redis.call('ZADD', KEYS[2], now, ARGV[2])
end
if redis.call('SISMEMBER', KEYS[3], 'r:' .. ARGV[2]) == 1 then
  redis.call('ZADD', KEYS[2], now, 'w:' .. ARGV[2])
end
return 1
