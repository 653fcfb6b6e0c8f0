-- What all scripts begin with. Every script gets all tables as KEYS: some servers want to know
-- in advance which keys a script may touch.
local META, RUNS, LEASES, TOKENS, URLS, PAGES, OUTLINES, PENDING, GONE, RECENT, BUCKETS, POSTINGS,
  KEPT, DECISIONS, GENERATIONS, SITES, SITE_COUNTS, SITE_TEXTS, ARRIVALS, INDEX, INDEX_POSTINGS =
  unpack(KEYS)
local call = redis.call
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

-- The numbers of the runs that are alive.
local function live_runs()
  local now, found = milliseconds(), {}
  local leases = call('HGETALL', LEASES)
  for at = 1, #leases, 2 do
    if tonumber(leases[at + 1]) > now then
      found[#found + 1] = leases[at]
    end
  end
  return table.concat(found)
end

-- The last page whose postings are in buckets; those of later ones are in the log.
local function last_folded(buckets)
  return buckets ~= '' and struct.unpack('<I4', buckets) or 0
end

-- Entries of the log: the keys of some pages, false where a page is gone.
local function recent_keys(first, last)
  local found, fields = {}, {}
  for number = first, last do
    fields[#fields + 1] = number_field(number)
    if #fields == AT_ONCE or number == last then
      for at, keys in ipairs(call('HMGET', RECENT, unpack(fields))) do
        found[#found + 1] = keys
      end
      fields = {}
    end
  end
  return found
end

-- What a judgement begins with: the newest numbers, the record of a URL, the memory of a host
-- unless its generation is known, live runs, whether runs or memories have changed, pages that are
-- gone, what is in buckets unless that is known, and the log after the last page that is known.
local function look(url, host, generation, gone, folded, last)
  local meta = call('HMGET', META, 'page', 'sequence', 'runs_version', 'sites_version')
  local memory = ''
  if host ~= '' then
    local is_known = (call('HGET', GENERATIONS, host) or '0') == generation
    memory = not is_known and (call('HGET', SITES, host) or '')
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
    live_runs(),
    meta[3],
    meta[4],
    call('GETRANGE', GONE, gone, -1),
    buckets,
    first,
    recent,
  }
end

-- Where PageRecord.pack puts what scripts have to know.
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
  call('HDEL', PENDING, page)
  call('HDEL', RECENT, page)
  call('APPEND', GONE, page)
  local key = url_key_of(record)
  local known = call('HGET', URLS, key)
  if known and not is_alias(known) and page_of(known) == page then
    drop_url(key)
  end
end
