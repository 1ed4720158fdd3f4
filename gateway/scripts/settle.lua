-- Ends asks of one run, and perhaps the run: all of it or nothing.
-- Answers {'won', ms} | {'again', ms} | {'settled'|'late'|'early'|'missing'|'retry', ask id}.
-- KEYS: run, log, asks, due, owed, inbox, then per ask: ask, settled, drafts
-- ARGV: skew, run id, tenant, token, when (before|after|any), run status or '', run error,
--       opened ms of the one ask or '', retention ms, then per ask: id, event, outcome as JSON
local now = clock(ARGV[1])
local count = (#KEYS - 6) / 3
local found = {}
for i = 1, count do
  local id = ARGV[7 + i * 3]
  local ask = redis.call('HMGET', KEYS[4 + i * 3], 'status', 'entry', 'opened', 'deadline', 'token', 'settled', 'drafts', 'posts')
  if not ask[1] then
    -- A run ends without an ask that is lost; nothing else can.
    if ARGV[6] == '' or ARGV[5] == 'after' and i == 1 then
      return { 'missing', id }
    end
  elseif ARGV[8] ~= '' and ask[3] ~= ARGV[8] then
    return { 'missing', id }
  elseif ask[1] ~= 'pending' then
    if ask[5] == ARGV[4] then
      -- Written again, so that there is something for a replica to confirm: it may lack the first.
      redis.call('HSET', KEYS[4 + i * 3], 'token', ARGV[4])
      return { 'again', ask[6] }
    end
    -- Ending a run raced an answer: look again, what is pending has changed.
    return { ARGV[6] ~= '' and 'retry' or 'settled', id }
  end
  local deadline = tonumber(ask[4])
  if ARGV[5] == 'before' and deadline and now >= deadline then
    return { 'late', id }
  end
  if ARGV[5] == 'after' and i == 1 and not (deadline and now >= deadline) then
    return { 'early', id }
  end
  found[i] = ask
end
local run = redis.call('HMGET', KEYS[1], 'status', 'pending', 'token', 'ended', 'deadline', 'webhook')
if not run[1] then
  return { 'missing', ARGV[2] }
end
local pending = run[2] or ''
local _, waiting = string.gsub(pending, '%S+', '')
if ARGV[6] ~= '' and run[1] ~= 'running' then
  if run[3] ~= ARGV[4] then
    return { 'settled', ARGV[2] }
  end
  redis.call('HSET', KEYS[1], 'token', ARGV[4])
  return { 'again', run[4] }
end
if ARGV[6] ~= '' and waiting ~= count then
  return { 'retry', ARGV[2] }
end

local note = run[6] and 'webhook' or '-'
local left = {}
for id in string.gmatch(pending, '%S+') do
  left[#left + 1] = id
end
for i = 1, count do
  local at = 4 + i * 3
  local id, kind, outcome = ARGV[7 + i * 3], ARGV[8 + i * 3], ARGV[9 + i * 3]
  local ask = found[i]
  -- What may be refused for want of memory comes first, before anything is written.
  if ask[1] then
    local body = redis.call('XRANGE', KEYS[3], ask[2], ask[2])
    body = body[1] and body[1][2][4] or 'null'
    redis.call('SET', KEYS[at + 1], '{"opened":' .. ask[3] .. ',"deadline":' .. (ask[4] ~= '' and ask[4] or 'null')
      .. ',"settled":' .. whole(now) .. ',"outcome":' .. outcome .. ',"ask":' .. body .. '}')
    redis.call('XDEL', KEYS[3], ask[2])
    redis.call('HSET', KEYS[at], 'status', string.sub(kind, 5), 'token', ARGV[4], 'settled', whole(now))
    if ask[7] then
      redis.call('DEL', KEYS[at + 2])
    end
    if run[6] then
      redis.call('SADD', KEYS[5], 'r:' .. id)
    end
    if ask[8] == 'o' then
      redis.call('SADD', KEYS[5], 'p:' .. id)
    end
    for n = #left, 1, -1 do
      if left[n] == id then
        table.remove(left, n)
      end
    end
    record(KEYS[2], KEYS[1], kind, ARGV[2], id, ARGV[3], now, note)
  end
  redis.call('ZREM', KEYS[6], id)
  redis.call('ZREM', KEYS[4], id)
end
if ARGV[6] == '' then
  redis.call('HSET', KEYS[1], 'pending', table.concat(left, ' '))
  if count > 0 and #left == 0 and not run[5] then
    redis.call('ZADD', KEYS[4], whole(now + tonumber(ARGV[9])), ARGV[2])
  end
else
  redis.call('HSET', KEYS[1], 'pending', '', 'status', ARGV[6], 'ended', whole(now), 'error', ARGV[7],
    'token', ARGV[4])
  record(KEYS[2], KEYS[1], 'run.ended', ARGV[2], '-', ARGV[3], now, ARGV[6])
  redis.call('ZADD', KEYS[4], whole(now + tonumber(ARGV[9])), ARGV[2])
end
return { 'won', whole(now) }
