-- Marks a try done. Answers 1, or 0 if it was, or the ask is gone.
-- KEYS: ask, tries done
-- ARGV: token
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
return redis.call('SADD', KEYS[2], ARGV[1])
