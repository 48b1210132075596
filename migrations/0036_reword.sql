-- Owners of passages (a source, or an agent with answers) whose words are made anew by this release, which cuts other
-- scripts than Latin into words. Until then the old words are found. English texts have the same words as before.
create table knowledge_rewords (
  owner_id uuid primary key,
  -- Whether the owner is an agent.
  is_answers boolean not null
);

-- A soft hyphen, đ, ı and ł, combining marks, the scripts behind them, joiners, and the scripts and widths of East Asia.
insert into knowledge_rewords (owner_id, is_answers)
select owner_id, bool_or(agent_id is not null) from knowledge_chunks
 where heading || text ~ '[\u00ad\u0111\u0131\u0142\u0300-\u1dff\u1f00-\u1fff\u200c\u200d\u2060\u2e80-\ud7ff\uf900-\uffef]'
 group by owner_id;
