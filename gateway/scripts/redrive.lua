-- Takes a dead letter back to work. Answers 1, or 0 if somebody did so before.
-- KEYS: ask, due, owed, dead
-- ARGV: skew, ask id, dead entry id
if redis.call('XDEL', KEYS[4], ARGV[3]) == 0 then
  return 0
end
redis.call('HSET', KEYS[1], 'tries', 0)
redis.call('SADD', KEYS[3], 'r:' .. ARGV[2])
redis.call('ZADD', KEYS[2], whole(clock(ARGV[1])), 'w:' .. ARGV[2])
return 1
