-- What one partition's clock may look at, for whoever holds its lease.
-- Answers {} when another holds it, else {now, next ms or '', members…}.
-- KEYS: due, lease
-- ARGV: skew, owner, lease ms, limit
local holder = redis.call('GET', KEYS[2])
if holder and holder ~= ARGV[2] then
  return {}
end
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
local now = clock(ARGV[1])
local members = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', whole(now), 'LIMIT', 0, ARGV[4])
local after = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. whole(now), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
return { whole(now), after[2] or '', unpack(members) }
