-- Work that failed for good: out of the way, kept with its reason.
-- KEYS: due, owed, dead
-- ARGV: skew, ask or run id, reason, group
if ARGV[4] == 'resume' then
  redis.call('ZREM', KEYS[1], 'w:' .. ARGV[2])
  redis.call('SREM', KEYS[2], 'r:' .. ARGV[2])
elseif ARGV[4] == 'clock' then
  redis.call('ZREM', KEYS[1], ARGV[2])
end
return redis.call('XADD', KEYS[3], '*', 'a', ARGV[2], 'n', ARGV[3], 't', whole(clock(ARGV[1])))
