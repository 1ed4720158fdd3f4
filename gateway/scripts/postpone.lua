-- A webhook that failed waits for its next try. Answers 1, or 0 when it is owed no more.
-- KEYS: ask, due, owed
-- ARGV: ask id, tries, next ms
if redis.call('SISMEMBER', KEYS[3], 'r:' .. ARGV[1]) == 0 then
  return 0
end
redis.call('HSET', KEYS[1], 'tries', ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[3], 'w:' .. ARGV[1])
return 1
