-- Label a new store with the method that indexes its pages; return the one that does.
local id, label = unpack(ARGV)
if is_other_store(id) then
  return redis.error_reply(OTHER_STORE)
end
local known = call('HGET', META, 'method')
if not known and call('HGET', META, 'page') == '0' then
  call('HSET', META, 'method', label)
  known = label
end
return known or 'cascade'
