-- Forget URLs that are copies of pages, and decisions up to a number.
local id, urls, first, last = unpack(ARGV)
if is_other_store(id) then
  return redis.error_reply(OTHER_STORE)
end
for at = 1, #urls, 16 do
  local key = urls:sub(at, at + 15)
  local known = call('HGET', URLS, key)
  if known and is_alias(known) then -- else it has become a page of its own since
    drop_url(key)
    call('HDEL', KEPT, key)
  end
end
for sequence = tonumber(first), tonumber(last) do
  call('HDEL', DECISIONS, number_field(sequence))
  call('HSET', META, 'first_sequence', sequence + 1)
end
return 1
