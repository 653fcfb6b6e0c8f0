-- Return the numbers of the runs that are alive.
local now, found = milliseconds(), {}
local leases = call('HGETALL', LEASES)
for at = 1, #leases, 2 do
  if tonumber(leases[at + 1]) > now then
    found[#found + 1] = leases[at]
  end
end
return table.concat(found)
