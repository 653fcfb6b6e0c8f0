-- Write down what became of pages.
local id, now, delivered, withdrawn, met, superseded = unpack(ARGV)
if is_other_store(id) then
  return redis.error_reply(OTHER_STORE)
end

local function for_each(pages, change)
  for at = 1, #pages, 4 do
    local page = pages:sub(at, at + 3)
    local record = call('HGET', PAGES, page)
    if record then
      change(page, record)
    end
  end
end

for_each(superseded, function(page, record)
  call('HSET', PAGES, page, record:sub(1, 1) .. '\1' .. record:sub(3))
end)
for_each(met, function(page, record)
  call('HSET', PAGES, page, record:sub(1, 14) .. now .. record:sub(23))
end)
for at = 1, #delivered, 4 do
  call('HDEL', PENDING, delivered:sub(at, at + 3))
end
for_each(withdrawn, withdraw)
return 1
