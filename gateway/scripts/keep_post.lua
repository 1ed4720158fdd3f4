-- Records one post of an ask; an open one of a settled ask is owed. Answers 1, or 0 without the ask.
-- KEYS: ask, posts, owed
-- ARGV: ask id, destination, post with 'o' (open) or 'c' (closed) before it
local status = redis.call('HGET', KEYS[1], 'status')
if not status then
  return 0
end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
local open = false
for _, post in ipairs(redis.call('HVALS', KEYS[2])) do
  open = open or string.sub(post, 1, 1) == 'o'
end
-- For `settle.lua`, which does not read the posts: whether one of them is to be drawn anew then.
redis.call('HSET', KEYS[1], 'posts', open and 'o' or 'c')
if status ~= 'pending' then
  redis.call(open and 'SADD' or 'SREM', KEYS[3], 'p:' .. ARGV[1])
end
return 1
