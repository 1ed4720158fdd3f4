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

-- One event: in the log for the groups and the waiters, in the run's own hash for replays. There it
-- is a field h1, h2, …: with a key of its own the history of a short run would take twice the bytes.
-- Its time is left out where the entry's id says it, so that a line stays under 64 bytes, and the
-- hash compact.
local function record(log, run_key, kind, run, ask, tenant, now, note)
  local at = whole(now)
  local id = redis.call('XADD', log, '*', 'e', kind, 'r', run, 'a', ask, 'w', tenant, 't', at, 'n', note)
  if string.sub(id, 1, #at + 1) == at .. '-' then
    at = '='
  end
  local number = redis.call('HINCRBY', run_key, 'events', 1)
  redis.call('HSET', run_key, 'h' .. number, id .. ' ' .. kind .. ' ' .. ask .. ' ' .. at .. ' ' .. note)
  return id
end
