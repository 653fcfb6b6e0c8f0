-- Apply batches in their order, each as a whole or not at all, up to the first that can't be. All
-- checks of one come first: a script that has begun to write goes through to its end. Every key is
-- in KEYS: some servers want to know them in advance.
-- ARGV: a head of single values; for each batch single values, then lists, each behind the number of
-- its entries.
local call, at = redis.call, 0
local function argument()
  at = at + 1
  return ARGV[at]
end
local function each(width, visit) -- returns whether a visit returned something
  local found = false
  for _ = 1, tonumber(argument()) do
    found = visit(unpack(ARGV, at + 1, at + width)) or found
    at = at + width
  end
  return found
end
local function key(index)
  return KEYS[tonumber(index)]
end
local function number(data)
  return data and data ~= '' and struct.unpack('>I4', data) or 0
end
local META, TOKENS, LOG, BUCKETS, WITHDRAWN = key(argument()), key(argument()), key(argument()),
  key(argument()), key(argument())
local PAGES, DECISIONS, SITE_PAGES, ARRIVALS = key(argument()), key(argument()), key(argument()),
  key(argument())

local store, process, before, token, seen, seen_token, kept = argument(), argument(), argument(),
  argument(), tonumber(argument()), argument(), tonumber(argument())
local meta = call('HMGET', META, 'id', 'version', 'page', 'sequence')
local version, last_page, last_line = tonumber(meta[2] or 0), number(meta[3]), number(meta[4])
if store ~= '' and meta[1] ~= store then -- emptied, or back without its data
  return redis.error_reply('DEDUPGONE the store is not there any more')
end
local done = call('HGET', TOKENS, process) or ''
if done:sub(1, #token) == token then -- the answer was lost on its way, with why it ended
  return {'changed', 0, done:sub(#token + 1), ''}
end
local replaced = seen_token ~= '' and version - seen < kept
  and call('HGET', META, 'token ' .. seen % kept) ~= seen_token
if done:sub(1, #before) ~= before or version < seen or replaced then
  return redis.error_reply('DEDUPOLD the store is older than it was')
end
local folded = number(call('GETRANGE', BUCKETS, 0, 3))

-- Returns why a batch can't be applied, with pages that have come; else the numbers that it got.
local function apply()

  -- what the batch rests on

  local same, page_must_be, bound, host, arrival = argument() == tostring(version), argument(),
    argument(), argument(), argument()
  local arrivals = host ~= '' and number(call('HGET', SITE_PAGES, host)) or 0
  local changed = each(1, function(lease)
    return call('EXISTS', key(lease)) == 0
  end)
  local differs = each(3, function(table, field, value)
    if changed or same then
      return false
    end
    local known, kind = call('HGET', key(table), field), value:sub(1, 1)
    return (kind == '-' and known) or (kind ~= '-' and not known)
      or (kind == '=' and known ~= value:sub(2))
  end)
  if not same then
    local next = arrivals + (arrival ~= '' and 1 or 0)
    changed = changed or differs or (bound ~= '' and next >= tonumber(bound))
      or (page_must_be ~= '' and tonumber(page_must_be) ~= last_page)
  end
  if changed then
    return 'changed', ''
  end
  local after, watched = tonumber(argument()), {}
  each(2, function(least, keys) -- keys, by group
    watched[#watched + 1] = {least = tonumber(least), keys = keys}
  end)
  if not same and #watched > 0 and last_page > after then
    if after < folded then -- the log does not reach so far back
      return 'late', ''
    end
    local group_of, new = {}, {}
    for place, group in ipairs(watched) do
      for first = 1, #group.keys, 8 do
        group_of[group.keys:sub(first, first + 7)] = place
      end
    end
    for place, keys in ipairs(call('LRANGE', LOG, after - folded, -1)) do
      local shared, enough = {}, false
      for first = 1, #keys, 8 do
        local group = group_of[keys:sub(first, first + 7)]
        if group then
          shared[group] = (shared[group] or 0) + 1
          enough = enough or shared[group] >= watched[group].least
        end
      end
      local page = struct.pack('>I4', after + place)
      if enough and call('HEXISTS', PAGES, page) == 1 then
        new[#new + 1] = page
      end
    end
    if #new > 0 then
      return 'arrived', table.concat(new)
    end
  end

  -- the change; the first command is one that a full server refuses

  local page, sequence = 0, 0
  version = call('HINCRBY', META, 'version', 1)
  call('HSET', META, 'token', token, 'token ' .. version % kept, token)
  each(2, function(table, field)
    call('HDEL', key(table), field)
  end)
  each(3, function(table, field, value)
    call('HSET', key(table), field, value)
  end)
  each(3, function(table, field, value)
    call('HSET', key(table), field, (call('HGET', key(table), field) or '') .. value)
  end)
  local withdrawn, has_page, keys = argument(), argument() == '1', argument()
  if withdrawn ~= '' then
    call('APPEND', WITHDRAWN, withdrawn)
  end
  if has_page then
    page, last_page = last_page + 1, last_page + 1
    call('HSET', META, 'page', struct.pack('>I4', page))
    while call('LLEN', LOG) < page - folded - 1 do -- after a counter was repaired
      call('RPUSH', LOG, '')
    end
    call('RPUSH', LOG, keys)
  end
  local name = struct.pack('>I4', page)
  each(2, function(table, value)
    call('HSET', key(table), name, value)
  end)
  each(4, function(table, field, value, offset)
    call('HSET', key(table), field, value:sub(1, offset) .. name .. value:sub(offset + 5))
  end)
  if arrival ~= '' then
    arrivals = arrivals + 1
    local next = struct.pack('>I4', arrivals)
    call('HSET', SITE_PAGES, host, next)
    call('HSET', ARRIVALS, host .. next, arrival)
  end
  local line = argument()
  if line ~= '' then
    sequence, last_line = last_line + 1, last_line + 1
    call('HSET', META, 'sequence', struct.pack('>I4', sequence))
    call('HSET', DECISIONS, struct.pack('>I4', sequence), line)
  end
  return 'applied', name .. struct.pack('>I4I4', sequence, arrivals)
end

local given, reason, found = '', 'applied', ''
for _ = 1, tonumber(argument()) do
  reason, found = apply()
  if reason ~= 'applied' then
    break
  end
  given, found = given .. found, ''
end
if given ~= '' then
  call('HSET', TOKENS, process, token .. given)
end
return {reason, version, given, found}
