-- Reads an ask in one look. Answers {} | {status, settled record} | {status, opened, deadline, body}.
-- KEYS: ask, settled, asks
local ask = redis.call('HMGET', KEYS[1], 'status', 'entry', 'opened', 'deadline')
if not ask[1] then
  return {}
end
if ask[1] ~= 'pending' then
  return { ask[1], redis.call('GET', KEYS[2]) or '' }
end
local body = redis.call('XRANGE', KEYS[3], ask[2], ask[2])
return { ask[1], ask[3], ask[4], body[1] and body[1][2][4] or '' }
