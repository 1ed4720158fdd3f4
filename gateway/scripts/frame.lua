-- Tells a run that its sub-run asks, once per ask. Answers 1, or 0 if it was told or is gone.
-- KEYS: the caller's run, log
-- ARGV: skew, the caller's run id, ask id, child run id
local now = clock(ARGV[1])
local tenant = redis.call('HGET', KEYS[1], 'tenant')
if not tenant or redis.call('HSETNX', KEYS[1], 'child:' .. ARGV[3], 1) == 0 then
  return 0
end
record(KEYS[2], KEYS[1], 'child_needs_human', ARGV[2], ARGV[3], tenant, now, ARGV[4])
return 1
