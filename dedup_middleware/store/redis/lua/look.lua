-- Return what a judgement begins with: the newest numbers, the record of a URL, the memory of a
-- host unless its generation is known, live runs, pages that are gone, and whether what is known of
-- runs has changed.
local id, url, host, generation, gone = unpack(ARGV)
if is_other_store(id) then
  return redis.error_reply(OTHER_STORE)
end
local meta = call('HMGET', META, 'page', 'sequence', 'runs_version')
local now, live = milliseconds(), {}
local leases = call('HGETALL', LEASES)
for at = 1, #leases, 2 do
  if tonumber(leases[at + 1]) > now then
    live[#live + 1] = leases[at]
  end
end
local memory = host ~= '' and call('HGET', SITES, host) or ''
if memory ~= '' and struct.unpack('<I4', memory) == tonumber(generation) then
  memory = 'known'
end
return {
  tonumber(meta[1]),
  tonumber(meta[2]),
  url ~= '' and call('HGET', URLS, url) or '',
  memory,
  table.concat(live),
  call('GETRANGE', GONE, gone, -1),
  meta[3],
}
