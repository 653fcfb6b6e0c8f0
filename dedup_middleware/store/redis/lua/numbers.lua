-- Return the numbers of pages in a range that are there.
local found = {}
for number = tonumber(ARGV[1]), tonumber(ARGV[2]) do
  local page = number_field(number)
  if call('HEXISTS', PAGES, page) == 1 then
    found[#found + 1] = page
  end
end
return table.concat(found)
