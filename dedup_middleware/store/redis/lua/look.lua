-- Return what a judgement begins with: the newest numbers, the record of a URL, the memory of a
-- host unless its generation is known, live runs, whether runs or memories have changed, pages that
-- are gone, what is in buckets unless that is known, and the log after the last page that is known.
local id, url, host, generation, gone, folded, last = unpack(ARGV)
local meta = call('HMGET', META, 'page', 'sequence', 'runs_version', 'sites_version', 'id')
if meta[5] ~= id then
  return redis.error_reply(OTHER_STORE)
end
local now, live = milliseconds(), {}
local leases = call('HGETALL', LEASES)
for at = 1, #leases, 2 do
  if tonumber(leases[at + 1]) > now then
    live[#live + 1] = leases[at]
  end
end
local memory = ''
if host ~= '' and (call('HGET', GENERATIONS, host) or '0') == generation then
  memory = false
elseif host ~= '' then
  memory = call('HGET', SITES, host) or ''
end
local page, buckets, first, recent = tonumber(meta[1]), '', 0, {}
last = tonumber(last)
if last >= 0 then
  buckets = call('GET', BUCKETS) or ''
  local end_of_buckets = last_folded(buckets)
  first = math.max(last, end_of_buckets) + 1
  recent = recent_keys(first, page)
  if end_of_buckets == tonumber(folded) then
    buckets = ''
  end
end
return {
  page,
  tonumber(meta[2]),
  url ~= '' and call('HGET', URLS, url) or '',
  memory,
  table.concat(live),
  meta[3],
  meta[4],
  call('GETRANGE', GONE, gone, -1),
  buckets,
  first,
  recent,
}
