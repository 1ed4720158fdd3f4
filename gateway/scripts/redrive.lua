-- Takes a dead letter back to work. Answers 1, or 0 if somebody did so before.
-- KEYS: ask, due, owed, dead
-- ARGV: skew, ask id, dead entry id, '1' where the outcome is owed to a webhook
if redis.call('XDEL', KEYS[4], ARGV[3]) == 0 then
  return 0
end
local member = ARGV[2]
if ARGV[4] == '1' then
  redis.call('HSET', KEYS[1], 'tries', 0)
  redis.call('SADD', KEYS[3], 'r:' .. ARGV[2])
  member = 'w:' .. ARGV[2]
end
redis.call('ZADD', KEYS[2], whole(clock(ARGV[1])), member)
return 1
