-- Up Migration

-- What an ended conversation adds to the figures, once (docs/decisions/0081). Facts wait here until a periodic job adds them
-- to the counters below. A conversation that changes after its end adds two facts: one with weight -1 that takes back what it
-- was, and one with weight 1. The sum of facts and counters is therefore right at any time.
create table conversation_facts (
  id bigint generated always as identity,
  namespace text not null,
  weight smallint not null check (weight in (-1, 1)),
  -- The quarter of an hour in which the conversation started. Every time zone in use begins its days at such a time.
  quarter timestamptz not null,
  agent_id uuid not null,
  agent_version integer not null,
  channel text not null,
  outcome text,
  csat smallint,
  csat_predicted numeric(2, 1),
  turns integer not null,
  answered integer not null,
  gaps integer not null,
  escalations integer not null,
  -- Escalations that somebody accepted, and how long their users waited in all.
  accepted integer not null,
  wait_sec integer not null,
  missed integer not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cached_input_tokens bigint not null,
  -- Amounts by currency; null: none of its models has prices.
  costs jsonb,
  -- Texts of the judgement; null: there is none.
  topics jsonb,
  -- [{id, accepted, wait_sec}] of those who accepted; null: nobody did.
  people jsonb,
  primary key (namespace, id)
);
-- Rows are deleted as fast as they come.
alter table conversation_facts set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Ended conversations by the quarter of an hour of their start. Rows of kind `topic` and `person` count a conversation once for
-- each of its topics, and of the people who accepted it.
create table analytics_counts (
  namespace text not null,
  kind text not null check (kind in ('all', 'topic', 'person')),
  quarter timestamptz not null,
  agent_id uuid not null,
  agent_version integer not null,
  channel text not null,
  -- A topic, or the id of a person; '' for all.
  label text not null,
  ended integer not null,
  resolved integer not null,
  unresolved integer not null,
  escalated integer not null,
  abandoned integer not null,
  voicemail integer not null,
  failed integer not null,
  unknown integer not null,
  contained integer not null,
  csat_count integer not null,
  csat_sum integer not null,
  -- Predictions in tenths, so that sums are exact.
  predicted_count integer not null,
  predicted_tenths integer not null,
  -- Of conversations that were rated and have a prediction: how many, and the sums for error and correlation.
  both_count integer not null,
  both_error_tenths integer not null,
  both_csat integer not null,
  both_csat_squared integer not null,
  both_tenths integer not null,
  both_tenths_squared integer not null,
  both_product integer not null,
  escalations integer not null,
  escalated_conversations integer not null,
  accepted integer not null,
  wait_sec integer not null,
  missed integer not null,
  answered integer not null,
  gaps integer not null,
  turns integer not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cached_input_tokens bigint not null,
  primary key (namespace, kind, quarter, agent_id, agent_version, channel, label)
);
-- Statistics of one agent.
create index analytics_counts_agent on analytics_counts (agent_id, quarter) where kind = 'all';
-- Topics of which nothing is left are deleted.
create index analytics_counts_empty on analytics_counts (namespace) where kind <> 'all' and ended = 0;

create table analytics_costs (
  namespace text not null,
  kind text not null check (kind in ('all', 'topic', 'person')),
  quarter timestamptz not null,
  agent_id uuid not null,
  agent_version integer not null,
  channel text not null,
  label text not null,
  currency text not null,
  amount numeric not null,
  primary key (namespace, kind, quarter, agent_id, agent_version, channel, label, currency)
);
create index analytics_costs_empty on analytics_costs (namespace) where kind <> 'all' and amount = 0;

create function parley_add_fact(c conversations, given_weight integer, has_labels boolean) returns void language plpgsql as $$
declare
  given_accepted integer := 0;
  given_wait_sec integer := 0;
  given_missed integer := 0;
  given_people jsonb;
begin
  -- Most conversations have no escalation, and need no further read.
  if (c.tally #>> '{escalations,requested}')::int > 0 then
    select coalesce(sum(n), 0), coalesce(sum(w), 0), coalesce(sum(m), 0),
           jsonb_agg(jsonb_build_object('id', person, 'accepted', n, 'wait_sec', w)) filter (where n > 0)
      into given_accepted, given_wait_sec, given_missed, given_people
      from (select accepted_by ->> 'id' as person, count(accepted_at)::int as n,
                   coalesce(sum(greatest(0, floor(extract(epoch from accepted_at - requested_at)))), 0)::int as w,
                   (count(*) filter (where is_missed or reviewed_at is not null))::int as m
              from escalations where conversation_id = c.id group by accepted_by ->> 'id') e;
  end if;
  insert into conversation_facts
    (namespace, weight, quarter, agent_id, agent_version, channel, outcome, csat, csat_predicted, turns,
     answered, gaps, escalations, accepted, wait_sec, missed, input_tokens, output_tokens,
     cached_input_tokens, costs, topics, people)
  values
    (c.namespace, given_weight, date_bin('15 minutes', c.started_at, timestamptz 'epoch'), c.agent_id,
     c.agent_version, c.channel, c.outcome, c.csat, c.csat_predicted, c.turn_count,
     coalesce((c.tally ->> 'answered')::int, 0), coalesce((c.tally ->> 'unanswered')::int, 0),
     coalesce((c.tally #>> '{escalations,requested}')::int, 0), given_accepted, given_wait_sec, given_missed,
     coalesce((c.tally #>> '{usage,inputTokens}')::bigint, 0),
     coalesce((c.tally #>> '{usage,outputTokens}')::bigint, 0),
     coalesce((c.tally #>> '{usage,cachedInputTokens}')::bigint, 0),
     nullif(c.tally #> '{usage,costs}', '{}'),
     case when has_labels then nullif(c.judgement -> 'topics', '[]') end,
     case when has_labels then given_people end);
end $$;

-- By triggers, so that what a process of the last release ends during an upgrade counts too. A start and a turn fire none.
create function parley_count_conversation() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.ended_at is not null then
    perform parley_add_fact(old, -1, true);
  end if;
  if tg_op = 'DELETE' then
    -- Figures stay. Topics and people do not outlive the conversation.
    perform parley_add_fact(old, -1, true);
    perform parley_add_fact(old, 1, false);
    return old;
  end if;
  perform parley_add_fact(new, 1, true);
  return null;
end $$;

create trigger count_conversation after insert on conversations for each row
  when (new.ended_at is not null and not new.test) execute function parley_count_conversation();
create trigger count_changed_conversation
  after update of started_at, ended_at, outcome, csat, csat_predicted, judgement, deleted_at on conversations for each row
  when (new.ended_at is not null and not new.test
        and (old.ended_at is null or old.started_at <> new.started_at or old.outcome is distinct from new.outcome
             or old.csat is distinct from new.csat or old.csat_predicted is distinct from new.csat_predicted
             or old.judgement is distinct from new.judgement or old.turn_count <> new.turn_count))
  execute function parley_count_conversation();
-- Before the deletion, because it deletes the escalations too.
create trigger uncount_labels before delete on conversations for each row
  when (old.ended_at is not null and not old.test
        and (old.judgement is not null or old.tally #>> '{escalations,accepted}' <> '0'))
  execute function parley_count_conversation();
