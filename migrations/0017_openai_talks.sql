-- Up Migration

-- By what a client of OpenAI's protocol continues a conversation: it sends all that was said, and no id.
-- One row a conversation that goes on; its end removes it, so no words can be guessed from what is here
-- that are not in `turns` as well.
create table openai_talks (
  conversation_id uuid primary key references conversations on delete cascade,
  -- SHA-256 over API key, agent, user, metadata and all messages, as the client will send them next time.
  state bytea not null,
  -- The same over the messages of the last request, without the reply: the request itself, repeated.
  request bytea not null,
  -- `pending`: the turn is under way; `failed`, `interrupted`: the client has no whole reply.
  status text not null check (status in ('pending', 'answered', 'failed', 'interrupted')),
  -- Turns of the last request: from this index on, and how many the conversation had after it.
  first_index integer not null,
  turn_count integer not null,
  updated_at timestamptz not null default clock_timestamp()
);
create index on openai_talks (state);
create index on openai_talks (request);
