-- Refuses a show whose record has another layout: the release that loaded it is not the one that these scripts are of. It
-- is put in front of each script that has the show as its first key, but of `hold`, which asks along with the policy.
do
  local format = redis.call('HGET', KEYS[1], 'format')
  if format and format ~= '1' then return redis.error_reply('FORMAT the show was loaded in layout ' .. format) end
end
