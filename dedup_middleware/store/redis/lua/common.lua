-- What all scripts begin with. Every script gets all tables as KEYS: some servers want to know
-- in advance which keys a script may touch.
local META, RUNS, LEASES, TOKENS, URLS, PAGES, OUTLINES, PENDING, GONE, POSTINGS, KEPT, DECISIONS,
  SITES, SITE_COUNTS, SITE_TEXTS, ARRIVALS, INDEX, INDEX_POSTINGS = unpack(KEYS)
local call = redis.call
local KEY, ENTRY = 5, 9 -- bytes of a key, and of a posting: a key and the number of a page
local POSTINGS_PER_BUCKET = 32
local AT_ONCE = 500 -- fields in one command; Lua's stack is limited

local function number_field(number)
  return struct.pack('>I4', number)
end

local function milliseconds()
  local time = call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- The server may have been emptied, or may have come back without its data.
local function is_other_store(id)
  return call('HGET', META, 'id') ~= id
end

local OTHER_STORE = 'DEDUPGONE the store is not there any more'

local function is_alive(run)
  local expires = call('HGET', LEASES, run)
  return expires and tonumber(expires) > milliseconds()
end

-- Linear hashing: buckets are split one after another as postings are added, so that of `count`
-- buckets `count - low` have been split.
local function lower_power_of_two(count)
  local low = 1
  while low * 2 <= count do
    low = low * 2
  end
  return low
end

-- Bucket of each key, which follows from its first four bytes.
local function buckets_of(keys, count)
  local low = lower_power_of_two(count)
  local high, unpack_number, found = low * 2, struct.unpack, {}
  for at = 1, #keys, KEY do
    local bucket = unpack_number('>I4', keys, at) % high
    found[#found + 1] = bucket < count and bucket or bucket - low
  end
  return found
end

-- Where PageRecord.pack puts what scripts have to know.
local function is_delivered(record)
  return record:byte(1) == 1
end

local function run_of(record)
  return number_field((struct.unpack('<I4', record, 3)))
end

local function url_key_of(record)
  return record:sub(23, 38)
end

local function is_alias(url)
  return url:byte(1) == 1
end

local function page_of(url)
  return number_field((struct.unpack('<I4', url, 2)))
end

local function drop_url(key)
  local known = call('HGET', URLS, key)
  if known then
    if is_alias(known) then
      call('HINCRBY', META, 'copies', -1)
    end
    call('HDEL', URLS, key)
  end
end

local function put_url(key, record)
  local known = call('HGET', URLS, key)
  local before = known and is_alias(known) and 1 or 0
  local now = is_alias(record) and 1 or 0
  call('HSET', URLS, key, record)
  if now ~= before then
    call('HINCRBY', META, 'copies', now - before)
  end
end

-- Remove a page: it matches no more, and its URL passes again. Its postings stay; who looks
-- knows from the list of pages that are gone that they lead nowhere.
local function withdraw(page)
  local record = call('HGET', PAGES, page)
  if not record then
    return
  end
  call('HDEL', PAGES, page)
  call('HDEL', OUTLINES, page)
  call('SREM', PENDING, page)
  call('APPEND', GONE, page)
  local key = url_key_of(record)
  local known = call('HGET', URLS, key)
  if known and not is_alias(known) and page_of(known) == page then
    drop_url(key)
  end
end
