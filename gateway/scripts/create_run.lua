-- Creates a run, once. Answers {'created'|'exists'|'conflict'}.
-- KEYS: run, log, due
-- ARGV: skew, run id, tenant, digest, retention ms, deadline ms or '', then field/value pairs
local now = clock(ARGV[1])
local digest = redis.call('HGET', KEYS[1], 'digest')
if digest then
  -- Written again, so that there is something for a replica to confirm: it may lack the first.
  redis.call('HSET', KEYS[1], 'digest', digest)
  return { digest == ARGV[4] and 'exists' or 'conflict' }
end
redis.call('HSET', KEYS[1], 'status', 'running', 'created', whole(now), 'digest', ARGV[4], unpack(ARGV, 7))
record(KEYS[2], KEYS[1], 'run.created', ARGV[2], '-', ARGV[3], now, '-')
if ARGV[6] ~= '' then
  redis.call('ZADD', KEYS[3], ARGV[6], ARGV[2])
else
  redis.call('ZADD', KEYS[3], whole(now + tonumber(ARGV[5])), ARGV[2])
end
return { 'created', whole(now) }
