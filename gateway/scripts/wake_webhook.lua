-- A webhook's next try is due: tells the resume group, and looks again if it dies on the way.
-- KEYS: due, log, owed
-- ARGV: skew, ask id, run id, tenant, look again after ms
local now = clock(ARGV[1])
if redis.call('SISMEMBER', KEYS[3], 'r:' .. ARGV[2]) == 0 then
  redis.call('ZREM', KEYS[1], 'w:' .. ARGV[2])
  return 0
end
if redis.call('ZADD', KEYS[1], 'XX', 'CH', whole(now + tonumber(ARGV[5])), 'w:' .. ARGV[2]) == 0 then
  return 0
end
redis.call('XADD', KEYS[2], '*', 'e', 'webhook.due', 'r', ARGV[3], 'a', ARGV[2], 'w', ARGV[4], 't', whole(now), 'n', 'webhook')
return 1
