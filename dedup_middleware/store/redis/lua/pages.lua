-- Return the records of some pages, and the texts and hosts' memories of the first few.
local id, pages, few = unpack(ARGV)
if is_other_store(id) then
  return redis.error_reply(OTHER_STORE)
end
local fields = {}
for at = 1, #pages, 4 do
  fields[#fields + 1] = pages:sub(at, at + 3)
end
few = tonumber(few)
local records = call('HMGET', PAGES, unpack(fields))
local hosts, met = {}, {}
for at = 1, few do
  local host = records[at] and records[at]:sub(-16)
  if host and not met[host] then
    met[host] = true
    hosts[#hosts + 1] = host
    hosts[#hosts + 1] = call('HGET', SITES, host) or ''
  end
end
return {records, call('HMGET', OUTLINES, unpack(fields, 1, few)), hosts}
