-- The outcome was taken: nothing of it is owed to the run.
-- KEYS: due, owed
-- ARGV: ask id
redis.call('ZREM', KEYS[1], 'w:' .. ARGV[1])
return redis.call('SREM', KEYS[2], 'r:' .. ARGV[1])
