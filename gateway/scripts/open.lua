-- Opens an ask, once per call. Answers {'opened', opened ms, deadline ms or ''} or why not.
-- KEYS: run, ask, asks, log, due, inbox
-- ARGV: skew, ask id, run id, tenant, body, call digest, arguments digest, timeout ms or '',
--       '1' for one at a time, most pending, note (the parent run) or '-', the run's own creation
--       in ms or '' for whichever has that id, then the rungs: a share of the wait (`0.25`) or ms
--       after opening (`900000`)
local now = clock(ARGV[1])
local run = redis.call('HMGET', KEYS[1], 'status', 'deadline', 'pending', 'created')
if not run[1] or ARGV[12] ~= '' and run[4] ~= ARGV[12] then
  return { 'no_run' }
end
local seen = redis.call('HMGET', KEYS[2], 'call', 'args')
if seen[1] then
  if seen[1] ~= ARGV[6] then
    return { 'collision' }
  end
  -- Written again, so that there is something for a replica to confirm: it may lack the first.
  redis.call('HSET', KEYS[2], 'call', ARGV[6])
  return { seen[2] == ARGV[7] and 'exists' or 'conflict' }
end
local run_deadline = tonumber(run[2] or '')
if run[1] ~= 'running' or (run_deadline and now >= run_deadline) then
  return { 'run_ended' }
end
local pending = run[3] or ''
if ARGV[9] == '1' and pending ~= '' then
  return { 'in_flight', string.match(pending, '^%S+') }
end
local _, count = string.gsub(pending, '%S+', '')
if count >= tonumber(ARGV[10]) then
  return { 'full' }
end

local deadline = run_deadline
if ARGV[8] ~= '' then
  local own = now + tonumber(ARGV[8])
  deadline = deadline and math.min(deadline, own) or own
end
local wait = deadline and deadline - now or 86400000
local due = deadline
for i = 13, #ARGV do
  local step = tonumber(ARGV[i])
  local at = now + (step < 1 and math.floor(wait * step) or step)
  if not due or at < due then
    due = at
  end
end

local entry = redis.call('XADD', KEYS[3], '*', 'a', ARGV[2], 'b', ARGV[5])
redis.call('HSET', KEYS[2], 'status', 'pending', 'entry', entry, 'run', ARGV[3], 'call', ARGV[6],
  'args', ARGV[7], 'opened', whole(now), 'deadline', deadline and whole(deadline) or '')
redis.call('HSET', KEYS[1], 'pending', pending == '' and ARGV[2] or pending .. ' ' .. ARGV[2])
redis.call('ZADD', KEYS[6], whole(now), ARGV[2])
if due then
  redis.call('ZADD', KEYS[5], whole(due), ARGV[2])
end
-- A run that waits is not retired; it is looked at again once nothing is pending.
if pending == '' and not run_deadline then
  redis.call('ZREM', KEYS[5], ARGV[3])
end
record(KEYS[4], KEYS[1], 'ask.opened', ARGV[3], ARGV[2], ARGV[4], now, ARGV[11])
return { 'opened', whole(now), deadline and whole(deadline) or '' }
