-- Make a change, unless something came since that the judgement has not seen.
-- All checks come first: a script that has begun to write goes through to its end.
local id, run, token, runs_version, standing_alive, standing_dead, -- who, and whose pages count
  url, -- for which URL
  seen_url, original, last_page, generation, watched, any_page, -- what was seen
  gone, folded, last, -- what else is known, as for a look
  kind, content, outline, keys, supersedes, decision, -- what is to change
  host, text, arrival, due_pages, memory, counts, -- what the page tells about its host
  index_number = unpack(ARGV, 1, 29) -- then, what a method writes into its own tables
local FIRST_GENERATION, LAST_PAGE = 4, 4096 -- as in fingerprint/site.py
local KEY, PAIR, LEAST_PAIRS = 8, 4, 2 -- bytes; as in fingerprint/keys.py and store/candidates.py
local meta = call('HMGET', META, 'id', 'page', 'runs_version')
if meta[1] ~= id then
  return redis.error_reply(OTHER_STORE)
end

local done = call('HGET', TOKENS, run)
if done and done:sub(1, #token) == token then -- the answer was lost on its way
  local number, sequence = struct.unpack('>I4I4', done, #token + 1)
  return {'done', number, sequence}
end

-- what came since

-- Say that the judgement does not hold, with what the next one begins with.
local function arrived(news)
  local records, pending = {}, {}
  if #news > 0 then
    records, pending = call('HMGET', PAGES, unpack(news)), call('HMGET', PENDING, unpack(news))
  end
  return {'arrived', look(url, host, generation, gone, folded, last), news, records, pending}
end

local known_url = call('HGET', URLS, url) or ''
if known_url ~= seen_url then
  return arrived({})
end
if original ~= '' then
  local record = call('HGET', PAGES, original)
  if not record then
    return arrived({})
  end
  local owner = run_of(record)
  if owner ~= run then
    if meta[3] ~= runs_version then
      return {'runs'}
    end
    local standing = is_alive(owner) and standing_alive or standing_dead
    local least = call('HEXISTS', PENDING, original) == 0 and 1 or 2 -- as in store/runs.py
    if (standing:byte((struct.unpack('>I4', owner))) or 0) < least then
      return arrived({})
    end
  end
end
local page_count = tonumber(meta[2])
local texts, is_new_text, is_due, pages_of_host = '', false, false, 0
if host ~= '' then
  if (call('HGET', GENERATIONS, host) or '0') ~= generation then
    return arrived({})
  end
  texts = call('HGET', SITE_TEXTS, host) or ''
  pages_of_host = #texts / 8
  if pages_of_host < LAST_PAGE then
    local at = texts:find(text, 1, true)
    while at and at % 8 ~= 1 do
      at = texts:find(text, at + 1, true)
    end
    is_new_text = not at
  end
  if is_new_text then
    pages_of_host = pages_of_host + 1
    local power = FIRST_GENERATION
    while power < pages_of_host do
      power = power * 2
    end
    is_due = power == pages_of_host
  end
end
last_page = tonumber(last_page)
local news = {}
if any_page == '1' then
  for number = last_page + 1, page_count do
    local page = number_field(number)
    if call('HEXISTS', PAGES, page) == 1 then
      news[#news + 1] = page
    end
  end
elseif watched ~= '' and page_count > last_page then
  if last_page < last_folded(call('GET', BUCKETS) or '') then -- the log does not reach so far back
    return {'late'}
  end
  local wanted = {}
  for at = 1, #watched, KEY do
    wanted[watched:sub(at, at + KEY - 1)] = watched:byte(at + KEY - 1) == PAIR and 1 or LEAST_PAIRS
  end
  for at, found in ipairs(recent_keys(last_page + 1, page_count)) do
    local shared = 0
    for first = 1, #(found or ''), KEY do
      shared = shared + (wanted[found:sub(first, first + KEY - 1)] or 0)
    end
    if shared >= LEAST_PAIRS then -- else it is no candidate
      news[#news + 1] = number_field(last_page + at)
    end
  end
end
if #news > 0 then
  for at = AT_ONCE + 1, #news do -- those are looked for another time
    news[at] = nil
  end
  return arrived(news)
end

-- what the caller has to work out, because a script can't

if is_due and tonumber(due_pages) ~= pages_of_host then
  return {'due', pages_of_host}
end
if index_number ~= '' and tonumber(index_number) ~= page_count + 1 then
  return {'number', page_count + 1}
end

-- the change

-- Note that a URL shows what a page shows; what it showed itself is kept, where it differs.
local function note_copy(key, record, text)
  local known = call('HGET', URLS, key)
  if known and not is_alias(known) then
    withdraw(page_of(known))
  end
  put_url(key, record)
  if text ~= '' then
    call('HSET', KEPT, key, text)
  elseif not known or known:sub(6) ~= record:sub(6) then -- it shows another text now
    call('HDEL', KEPT, key)
  end
end

local number, sequence = 0, 0
if kind == 'page' then
  if known_url ~= '' and not is_alias(known_url) then
    withdraw(page_of(known_url))
  end
  number = page_count + 1
  local page = number_field(number)
  call('HSET', META, 'page', number)
  call('HSET', PAGES, page, content)
  call('HSET', OUTLINES, page, outline)
  if content:byte(1) == 0 then
    call('HSET', PENDING, page, run)
  end
  call('HSET', RECENT, page, keys)
  put_url(url, '\0' .. struct.pack('<I4', number) .. content:sub(39, 70)) -- with its digest
  call('HDEL', KEPT, url)
  for at = 30, #ARGV, 3 do
    local what, key, value = ARGV[at], ARGV[at + 1], ARGV[at + 2]
    if what == 'put' then
      call('HSET', INDEX, key, value)
    elseif what == 'delete' then
      call('HDEL', INDEX, key)
    else
      local pages = call('HGET', INDEX_POSTINGS, key) or ''
      if pages:sub(-4) ~= value then
        call('HSET', INDEX_POSTINGS, key, pages .. value)
      end
    end
  end
elseif kind == 'copy' then
  note_copy(url, content, outline)
end
if supersedes ~= '' then
  local record, successor = call('HGET', PAGES, supersedes), call('HGET', URLS, url)
  if record and successor and not is_alias(successor) and page_of(successor) ~= supersedes then
    local digest = record:sub(39, 70)
    local text = digest ~= successor:sub(6) and call('HGET', OUTLINES, supersedes) or ''
    note_copy(url_key_of(record), '\1' .. successor:sub(2, 5) .. digest, text)
  end
end
if is_new_text then
  call('HSET', SITE_TEXTS, host, texts .. text)
  if is_due then
    call('HSET', SITES, host, memory)
    call('HSET', GENERATIONS, host, (struct.unpack('<I4', memory)))
    call('HINCRBY', META, 'sites_version', 1)
    call('HSET', SITE_COUNTS, host, counts)
    local counted = pages_of_host > FIRST_GENERATION and pages_of_host / 2 or 0
    for one = counted + 1, pages_of_host - 1 do
      call('HDEL', ARRIVALS, host .. number_field(one))
    end
  else
    call('HSET', ARRIVALS, host .. number_field(pages_of_host), arrival)
  end
end
if decision ~= '' then
  sequence = call('HINCRBY', META, 'sequence', 1)
  call('HSET', DECISIONS, number_field(sequence), decision)
end
call('HSET', TOKENS, run, token .. struct.pack('>I4I4', number, sequence))
return {'done', number, sequence}
