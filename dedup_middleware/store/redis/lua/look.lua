-- Return what a judgement begins with.
local id, url, host, generation, gone, folded, last = unpack(ARGV)
if is_other_store(id) then
  return redis.error_reply(OTHER_STORE)
end
return look(url, host, generation, gone, folded, last)
