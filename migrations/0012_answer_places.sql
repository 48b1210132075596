-- Up Migration

-- Where the answer of a gap stands among those of its agent, for good: a withdrawn one leaves its place to
-- nobody else, so that a search that runs meanwhile never finds one answer by the words of another.
alter table knowledge_gaps add column answer_position integer;
create index knowledge_gaps_places on knowledge_gaps (agent_id, answer_position)
  where answer_position is not null;
