-- Keeps a person's draft and marks the try done, together. Answers 0 for a try done before.
-- KEYS: ask, drafts, tries done
-- ARGV: person, draft ('' drops it), token
if redis.call('HGET', KEYS[1], 'status') ~= 'pending' or redis.call('SADD', KEYS[3], ARGV[3]) == 0 then
  return 0
end
if ARGV[2] == '' then
  redis.call('HDEL', KEYS[2], ARGV[1])
else
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
  redis.call('HSET', KEYS[1], 'drafts', 1)
end
return 1
