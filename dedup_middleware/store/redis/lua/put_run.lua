-- Change what is known of a run, unless somebody else has changed it.
local id, number, before, after = unpack(ARGV)
if is_other_store(id) then
  return redis.error_reply(OTHER_STORE)
end
local known = call('HGET', RUNS, number)
if known ~= before and known ~= after then
  return 0
end
call('HSET', RUNS, number, after)
call('HINCRBY', META, 'runs_version', 1)
return 1
