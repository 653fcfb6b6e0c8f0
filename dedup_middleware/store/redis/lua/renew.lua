-- Show others that a run is alive for some more time.
local id, run, lease = unpack(ARGV)
if is_other_store(id) then
  return redis.error_reply(OTHER_STORE)
end
call('HSET', LEASES, run, milliseconds() + tonumber(lease))
return 1
