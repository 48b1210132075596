-- Up Migration

-- Counts the conversations that ended before migration 43, in one statement. It starts from nothing: what the triggers have
-- added meanwhile is part of the same snapshot and would count twice. Nobody has added up facts yet, because the processes that
-- do so start after the last migration. The statement reads, and blocks no writer.
with emptied as (delete from conversation_facts)
insert into conversation_facts
  (namespace, weight, quarter, agent_id, agent_version, channel, outcome, csat, csat_predicted, turns, answered, gaps,
   escalations, accepted, wait_sec, missed, input_tokens, output_tokens, cached_input_tokens, costs, topics, people)
select c.namespace, 1, date_bin('15 minutes', c.started_at, timestamptz 'epoch'), c.agent_id, c.agent_version, c.channel,
       c.outcome, c.csat, c.csat_predicted, c.turn_count, coalesce((c.tally ->> 'answered')::int, 0),
       coalesce((c.tally ->> 'unanswered')::int, 0), coalesce((c.tally #>> '{escalations,requested}')::int, 0),
       coalesce(e.accepted, 0), coalesce(e.wait_sec, 0), coalesce(e.missed, 0), 0, 0, 0, null,
       nullif(c.judgement -> 'topics', '[]'), e.people
  from conversations c
  left join (
    select conversation_id, sum(n)::int as accepted, sum(w)::int as wait_sec, sum(m)::int as missed,
           jsonb_agg(jsonb_build_object('id', person, 'accepted', n, 'wait_sec', w)) filter (where n > 0) as people
      from (select conversation_id, accepted_by ->> 'id' as person, count(accepted_at)::int as n,
                   coalesce(sum(greatest(0, floor(extract(epoch from accepted_at - requested_at)))), 0)::int as w,
                   (count(*) filter (where is_missed or reviewed_at is not null))::int as m
              from escalations group by conversation_id, accepted_by ->> 'id') of_person
     group by conversation_id
  ) e on e.conversation_id = c.id and (c.tally #>> '{escalations,requested}')::int > 0
 where c.ended_at is not null and not c.test;
