-- How many visitors of web pages speak with an agent at this moment.
create index on calls (agent_id)
  where provider = 'web_voice' and status in ('queued', 'ringing', 'in_progress');
