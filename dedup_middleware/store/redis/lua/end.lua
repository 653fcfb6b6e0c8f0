-- Forget what only a running process needs.
local id, run, token = unpack(ARGV)
if is_other_store(id) then
  return redis.error_reply(OTHER_STORE)
end
call('HDEL', LEASES, run)
call('HDEL', TOKENS, token, run)
return 1
