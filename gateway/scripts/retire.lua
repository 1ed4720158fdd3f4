-- Deletes a run and its asks once its retention has passed and nothing of it is owed.
-- Answers 1 when gone, 0 when it stays (and looks again later).
-- KEYS: run, history, due, owed, then per ask: ask, settled, posts, drafts, tries done
-- ARGV: skew, run id, retention ms, history length when read, then the ask ids
local now = clock(ARGV[1])
local run = redis.call('HMGET', KEYS[1], 'pending', 'last', 'created')
if (run[1] or '') ~= '' then
  redis.call('ZREM', KEYS[3], ARGV[2])
  return 0
end
local again = tonumber(run[2] or run[3] or '0') + tonumber(ARGV[3])
local moved = redis.call('LLEN', KEYS[2]) ~= tonumber(ARGV[4])
local owing = false
for i = 5, #ARGV do
  owing = owing or redis.call('SISMEMBER', KEYS[4], 'r:' .. ARGV[i]) == 1
    or redis.call('SISMEMBER', KEYS[4], 'p:' .. ARGV[i]) == 1
end
if now < again or moved or owing then
  redis.call('ZADD', KEYS[3], whole(math.max(again, now + 3600000)), ARGV[2])
  return 0
end
for i = 5, #KEYS do
  redis.call('DEL', KEYS[i])
end
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('ZREM', KEYS[3], ARGV[2])
return 1
