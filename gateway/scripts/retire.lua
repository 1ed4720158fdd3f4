-- Deletes a run and its asks once its retention has passed and nothing of it is owed.
-- Answers 1 when gone, 0 when it stays (and looks again later).
-- KEYS: run, due, owed, then per ask: ask, settled, posts, drafts, tries done
-- ARGV: skew, run id, retention ms, look again ms, history length when read, then the ask ids
local now, retention = clock(ARGV[1]), tonumber(ARGV[3])
local pending = redis.call('HGET', KEYS[1], 'pending') or ''
local events = redis.call('HGET', KEYS[1], 'events') or '0'
local last = redis.call('HGET', KEYS[1], 'h' .. events) or '0'
local moved = tonumber(events) ~= tonumber(ARGV[5])
local at = string.match(last, '^%S+ %S+ %S+ (%d+)') or string.match(last, '^%d+')
local gone_at = tonumber(at) + retention
local owing = false
for i = 6, #ARGV do
  owing = owing or redis.call('SISMEMBER', KEYS[3], 'r:' .. ARGV[i]) == 1
    or redis.call('SISMEMBER', KEYS[3], 'p:' .. ARGV[i]) == 1
end
if pending ~= '' or moved or owing or now < gone_at then
  -- One look per run and retention while it lives; sooner where something is still owed.
  local again = pending ~= '' and now + retention or math.max(gone_at, now + tonumber(ARGV[4]))
  redis.call('ZADD', KEYS[2], whole(again), ARGV[2])
  return 0
end
for i = 4, #KEYS do
  redis.call('DEL', KEYS[i])
end
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[2])
return 1
