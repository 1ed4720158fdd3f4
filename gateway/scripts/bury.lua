-- Work that failed for good: out of the way, kept with its reason.
-- KEYS: due, owed, dead
-- ARGV: skew, ask id, reason, what was due
redis.call('ZREM', KEYS[1], ARGV[4])
redis.call('SREM', KEYS[2], 'r:' .. ARGV[2])
return redis.call('XADD', KEYS[3], '*', 'a', ARGV[2], 'n', ARGV[3], 't', whole(clock(ARGV[1])))
