-- Puts back on the log what is owed and on its way to nobody; makes the group, where one is named.
-- Answers how many; none when somebody made the group before.
-- KEYS: log, due
-- ARGV: skew, group or '', then per item: its entry on the log or '', its member of due or '',
--       event, run id, ask id, tenant, note
local now = clock(ARGV[1])
if ARGV[2] ~= '' then
  local made = redis.pcall('XGROUP', 'CREATE', KEYS[1], ARGV[2], '0', 'MKSTREAM')
  if made.err then
    return string.find(made.err, 'BUSYGROUP', 1, true) and 0 or made
  end
end
local count = 0
for i = 3, #ARGV, 7 do
  -- An entry that was seen may have been trimmed since.
  local there = ARGV[i] ~= '' and #redis.call('XRANGE', KEYS[1], ARGV[i], ARGV[i]) > 0
  if not there and not (ARGV[i + 1] ~= '' and redis.call('ZSCORE', KEYS[2], ARGV[i + 1])) then
    redis.call('XADD', KEYS[1], '*', 'e', ARGV[i + 2], 'r', ARGV[i + 3], 'a', ARGV[i + 4],
      'w', ARGV[i + 5], 't', whole(now), 'n', ARGV[i + 6])
    count = count + 1
  end
end
return count
