-- Prepended to every script. No keys of its own.

-- Redis's clock in ms, moved by the tests' skew (zero in production).
local function clock(skew)
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000) + tonumber(skew)
end

-- Lua prints large numbers with an exponent; times are always whole.
local function whole(n)
  return string.format('%.0f', n)
end

-- One event: in the log for the groups and the waiters, in the run's history for replays.
local function record(log, history, kind, run, ask, tenant, now, note)
  local id = redis.call('XADD', log, '*', 'e', kind, 'r', run, 'a', ask, 'w', tenant, 't', whole(now), 'n', note)
  redis.call('RPUSH', history, id .. ' ' .. kind .. ' ' .. ask .. ' ' .. whole(now) .. ' ' .. note)
  return id
end
