-- Enter a run in the list, and make the store if it is not there.
local new_id, header, token, run, lease = unpack(ARGV)
local known = call('HGET', META, 'header')
if not known then
  call('HSET', META, 'header', header, 'id', new_id, 'page', 0, 'run', 0, 'sequence', 0,
    'copies', 0, 'first_sequence', 1, 'sites_version', 0)
elseif known ~= header then
  return {'scheme', known}
end
local id = call('HGET', META, 'id')
local number = call('HGET', TOKENS, token) -- of a call whose answer was lost
if not number then
  number = number_field(call('HINCRBY', META, 'run', 1))
  call('HSET', RUNS, number, run)
  call('HINCRBY', META, 'runs_version', 1)
  call('HSET', TOKENS, token, number)
end
call('HSET', LEASES, number, milliseconds() + tonumber(lease))
local meta = call('HMGET', META, 'page', 'sequence')
return {'begun', id, number, tonumber(meta[1]), tonumber(meta[2])}
