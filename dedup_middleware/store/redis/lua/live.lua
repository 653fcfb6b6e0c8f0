-- Return the numbers of the runs that are alive.
return live_runs()
