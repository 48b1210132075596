-- Up Migration

-- In which words a gap was asked: the same words in any form and order once, and the most frequent ones.
create table knowledge_gap_questions (
  gap_id uuid not null references knowledge_gaps (id) on delete cascade,
  agent_id uuid not null,
  -- Where it was asked first in these words.
  conversation_id uuid not null,
  text text not null,
  -- Its stems, sorted; of a question without words its characters.
  fingerprint text not null,
  -- Of the agent and each stem together: a word of one agent is found without those of all others.
  words bigint[] not null,
  count integer not null default 1,
  last_asked_at timestamptz not null default clock_timestamp(),
  primary key (gap_id, fingerprint)
);
create index knowledge_gap_questions_same on knowledge_gap_questions (agent_id, fingerprint);
create index knowledge_gap_questions_conversation on knowledge_gap_questions (conversation_id);
create index knowledge_gap_questions_words on knowledge_gap_questions using gin (words);

insert into knowledge_gap_questions
       (gap_id, agent_id, conversation_id, text, fingerprint, words, count, last_asked_at)
select g.id, g.agent_id, g.conversation_id, g.question, g.fingerprint,
       array(select hashtextextended(g.agent_id || ' ' || stem, 0)
               from unnest(string_to_array(g.fingerprint, ' ')) stem),
       g.count, g.last_asked_at
  from knowledge_gaps g
 -- Of one whose question was erased, the fingerprint is the id.
 where g.fingerprint <> g.id::text;

alter table knowledge_gaps
  -- The passages that came closest when it was asked first, best first: their ids and scores.
  add column closest jsonb not null default '[]',
  -- Who repeats a question at once is counted once.
  add column last_conversation_id uuid;

-- A list of each order, with each filter that leaves much out.
create index knowledge_gaps_count on knowledge_gaps (namespace, count, id);
create index knowledge_gaps_asked on knowledge_gaps (namespace, last_asked_at, id);
create index knowledge_gaps_status_count on knowledge_gaps (namespace, status, count, id);
create index knowledge_gaps_status_asked on knowledge_gaps (namespace, status, last_asked_at, id);
create index knowledge_gaps_agent_count on knowledge_gaps (namespace, agent_id, count, id);
create index knowledge_gaps_agent_asked on knowledge_gaps (namespace, agent_id, last_asked_at, id);
create index knowledge_gaps_agent_status_count
  on knowledge_gaps (namespace, agent_id, status, count, id);
create index knowledge_gaps_agent_status_asked
  on knowledge_gaps (namespace, agent_id, status, last_asked_at, id);
