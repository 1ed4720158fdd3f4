-- A run's events from a number on (0-based), as {tenant, line, line, …}.
-- KEYS: run
-- ARGV: start
local run = redis.call('HMGET', KEYS[1], 'tenant', 'events')
local told = { run[1] or '' }
local first, last = tonumber(ARGV[1]) + 1, tonumber(run[2] or 0)
-- In pieces: Lua hands on some thousand values at once and no more.
for from = first, last, 1000 do
  local names = {}
  for number = from, math.min(from + 999, last) do
    names[#names + 1] = 'h' .. number
  end
  for _, line in ipairs(redis.call('HMGET', KEYS[1], unpack(names))) do
    told[#told + 1] = line
  end
end
return told
