-- Adds one event to a run's history. Answers 1, or 0 past the cap, said before, or without the run.
-- KEYS: run, log
-- ARGV: skew, run id, tenant, event, ask id or '-', note, most of its kind or '', 'once' an ask or ''
local now = clock(ARGV[1])
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
if ARGV[7] ~= '' and redis.call('HINCRBY', KEYS[1], 'refusals', 1) > tonumber(ARGV[7]) then
  return 0
end
if ARGV[8] ~= '' and redis.call('HSETNX', KEYS[1], ARGV[4] .. ':' .. ARGV[5], 1) == 0 then
  return 0
end
record(KEYS[2], KEYS[1], ARGV[4], ARGV[2], ARGV[5], ARGV[3], now, ARGV[6])
return 1
