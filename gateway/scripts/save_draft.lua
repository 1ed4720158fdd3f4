-- Keeps a person's draft and marks the try done, together. Answers 0 for a try done before, and -1
-- where the draft is another by now than the one it was made from.
-- KEYS: ask, drafts, tries done
-- ARGV: person, draft ('' drops it), token, and what was kept before ('' nothing), if that counts
if redis.call('HGET', KEYS[1], 'status') ~= 'pending' or redis.call('SISMEMBER', KEYS[3], ARGV[3]) == 1 then
  return 0
end
if ARGV[4] and (redis.call('HGET', KEYS[2], ARGV[1]) or '') ~= ARGV[4] then
  return -1
end
redis.call('SADD', KEYS[3], ARGV[3])
if ARGV[2] == '' then
  redis.call('HDEL', KEYS[2], ARGV[1])
else
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
  redis.call('HSET', KEYS[1], 'drafts', 1)
end
return 1
