import { CONVERSATION_COLUMNS, IS_SHARED, type ConversationRow } from './conversations.sql.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import type { Redacted } from '../redaction/redact.ts';
import type { ProviderFields } from '../../models/model.ts';
import { countUsage, type Tally } from './tally.ts';

export type TurnRole = 'user' | 'agent' | 'tool' | 'human' | 'system';

/**
 * Knowledge search for an answer: the query, and the passages that the answer is based on
 * (contract/messages.md#transcript).
 */
export type Retrieval = {
  query: string;
  top_score: number;
  chunks: {
    source_id: string;
    document_id: string;
    chunk_id: string;
    score: number;
    /** Semantic similarity; absent if it was not computed. */
    similarity?: number;
  }[];
  /** Passages that were found but not used for the answer; absent if none exist. */
  considered?: Retrieval['chunks'];
};

/** Model, usage and cost of a generated reply (contract/messages.md#transcript). */
export type TurnModel = {
  provider: string;
  name: string;
  finish_reason: string;
  /** Number of requests to the model. Each round of tool calls adds one. */
  steps: number;
  usage: {
    input_tokens: number;
    output_tokens: number;
    cached_input_tokens: number;
    estimated: boolean;
  };
  cost: { amount: number; currency: string } | null;
  time_to_first_token_ms: number | null;
};

/** Reason why a reply is missing or incomplete. `detail` is human-readable and safe to show to API clients. */
export type TurnError = { code: string; detail: string };

/**
 * Additional fields that a provider returned and expects back. `call` has the fields of a tool call other than its id,
 * name and arguments. `message` has the fields of the message that contains the call, such as `reasoning_content`; only
 * the first call of each request has `message`.
 */
export type ProviderMetadata = {
  provider: string;
  message?: ProviderFields;
  call?: ProviderFields;
};

/** One turn of a transcript. Times are in ms since the conversation started. */
export type TurnRow = {
  index: number;
  role: TurnRole;
  text: string;
  startedAtMs: number;
  endedAtMs: number;
  interrupted: boolean;
  toolCall: Record<string, unknown> | null;
  toolResult: Record<string, unknown> | null;
  retrieval: Retrieval | null;
  /** Duration of each part of a turn in ms, by the part's name. */
  latency: Record<string, number> | null;
  /** Agent that spoke or called the tool; null for other roles, and for turns that earlier releases stored. */
  agentId: string | null;
  agentVersion: number | null;
  model: TurnModel | null;
  error: TurnError | null;
  /** Redactions in the user's message. */
  redacted: Redacted | null;
  /** Name of the human agent who spoke; absent or null for other roles, and for turns that earlier releases stored. */
  personName?: string | null;
  /** Fields that the provider expects back with a tool call. Transcripts never include them. */
  providerMetadata?: ProviderMetadata | null;
  /** Id of the request whose turn was stored as failed. A repeated request may still complete the turn. */
  requestId?: string;
};

/** Result of adding a message (contract/messages.md#replies). */
export type MessageResult = { turns: TurnRow[]; conversation: ConversationRow };

export const TURN_COLUMNS = `index, role, text, started_at_ms as "startedAtMs", ended_at_ms as "endedAtMs",
  interrupted, tool_call as "toolCall", tool_result as "toolResult", retrieval, latency,
  agent_id as "agentId", agent_version as "agentVersion", model, error, redacted,
  person_name as "personName", provider_metadata as "providerMetadata"`;

/** Turns to add. `conversation` is the conversation as the writer read it, so that a change since then is detected. */
export type TurnsToAdd = {
  conversation: Pick<ConversationRow, 'id' | 'turnCount' | 'status'>;
  turns: readonly TurnRow[];
  tally: Tally;
  status: 'active' | 'escalated';
  /** Silence timeout in seconds. It starts again when these turns are stored. */
  silenceSec: number;
  /** New speaking agent; absent if the speaker stays the same. */
  speaker?: { agentId: string; agentVersion: number } | undefined;
  /**
   * Token of the live turn that these turns replace. The turns are stored only if the live turn still has this token.
   * The live turn is then removed.
   */
  token?: string | undefined;
};

const IS_LIVE = 'c.ended_at is null and c.deleted_at is null';

/** SQL for the time at which the silence timeout of a conversation ends if it starts now. */
const expiresIn = (sec: string): string =>
  `least(c.started_at + make_interval(secs => c.max_duration_sec),
         clock_timestamp() + make_interval(secs => ${sec}))`;

/**
 * Adds turns in one statement if the conversation has not changed since it was read. Returns undefined if it has
 * changed. The row stays locked until the transaction ends.
 */
export async function addTurns(db: Db, add: TurnsToAdd): Promise<ConversationRow | undefined> {
  return add.token === undefined ? addAtOnce(db, add) : addHeld(db, add, add.token);
}

async function addAtOnce(db: Db, add: TurnsToAdd): Promise<ConversationRow | undefined> {
  const { rows } = await db.query<ConversationRow>({
    name: 'add_turns',
    text: `with moved as (${movedBy('')} returning *), added as (${addedFrom('$4::jsonb')})
      select ${CONVERSATION_COLUMNS} from moved c`,
    values: valuesOf(add),
  });
  return rows[0];
}

/**
 * Adds the turns that replace a live turn. Like every writer, locks the conversation before the live turn. The token is
 * therefore checked against the current row, not against the statement's snapshot. Both statements on `live_turns` name
 * the id of the conversation. With a join instead, PostgreSQL plans to read all turns in progress while there are few,
 * and keeps that plan when there are thousands.
 */
async function addHeld(
  db: Db,
  add: TurnsToAdd,
  token: string,
): Promise<ConversationRow | undefined> {
  const { rows } = await db.query<ConversationRow>({
    name: 'add_held_turns',
    text: `with locked as materialized (select id from conversations where id = $1 for update),
      held as materialized (
        select l.conversation_id from locked, live_turns l
         where l.conversation_id = $1 and l.token = $8::uuid for update of l
      ), moved as (
        ${movedBy(`, speaker_agent_id = coalesce($9::uuid, speaker_agent_id),
               speaker_version = coalesce($10::int, speaker_version)`)}
           and exists (select 1 from held) returning *
      ), gone as (
        delete from live_turns where conversation_id = $1 and exists (select 1 from moved)
      ), added as (${addedFrom('$4::jsonb')})
      select ${CONVERSATION_COLUMNS} from moved c`,
    values: [...valuesOf(add), token, add.speaker?.agentId, add.speaker?.agentVersion],
  });
  return rows[0];
}

const movedBy = (alsoSet: string): string => `update conversations c
   set turn_count = c.turn_count + jsonb_array_length($4::jsonb), tally = $5, status = $6,
       expires_at = ${expiresIn('$7::float8')}${alsoSet}
 where c.id = $1 and c.turn_count = $2 and c.status = $3 and ${IS_LIVE}`;

const addedFrom = (
  turns: string,
): string => `insert into turns (conversation_id, index, role, text, started_at_ms, ended_at_ms,
                       interrupted, tool_call, tool_result, retrieval, latency, agent_id,
                       agent_version, model, error, redacted, request_id, provider_metadata,
                       person_name)
  select moved.id, t.index, t.role, t.text, t."startedAtMs", t."endedAtMs", t.interrupted,
         t."toolCall", t."toolResult", t.retrieval, t.latency, t."agentId",
         t."agentVersion", t.model, t.error, t.redacted, t."requestId",
         t."providerMetadata", t."personName"
    from moved, jsonb_to_recordset(${turns}) as t(index integer, role text, text text,
         "startedAtMs" bigint, "endedAtMs" bigint, interrupted boolean, "toolCall" jsonb,
         "toolResult" jsonb, retrieval jsonb, latency jsonb, "agentId" uuid,
         "agentVersion" integer, model jsonb, error jsonb, redacted jsonb, "requestId" uuid,
         "providerMetadata" jsonb, "personName" text)`;

function valuesOf(add: TurnsToAdd): unknown[] {
  const { id, turnCount, status } = add.conversation;
  const { turns, silenceSec } = add;
  return [id, turnCount, status, JSON.stringify(turns), tallyOf(add), add.status, silenceSec];
}

/** Returns the tally of a conversation with the usage of these turns. */
const tallyOf = ({ tally, turns }: TurnsToAdd): Tally =>
  countUsage(
    tally,
    turns.flatMap(({ model }) => model ?? []),
  );

/**
 * Adds the turns of several conversations in one statement, as `addTurns` does. Never waits for a lock: adds nothing to
 * a large conversation or to one that another transaction has locked. Returns the conversations to which it added turns. No two
 * `adds` have the same conversation, and none has a token.
 */
export async function addTurnsOfAll(
  db: Db,
  adds: readonly TurnsToAdd[],
): Promise<ConversationRow[]> {
  const given = adds.map((add) => {
    const { id, turnCount, status: seen } = add.conversation;
    const { turns, status, silenceSec } = add;
    return { id, turnCount, seen, turns, tally: tallyOf(add), status, silenceSec };
  });
  const { rows } = await db.query<ConversationRow>({
    name: 'add_turns_of_all',
    text: `with given as materialized (
        select * from jsonb_to_recordset($1::jsonb) as g (
          id uuid, "turnCount" int, seen text, turns jsonb, tally jsonb, status text, "silenceSec" float8)
      ), locked as materialized (
        select c.id from given g join conversations c on c.id = g.id
         where ${IS_SHARED} for update of c skip locked
      ), moved as (
        update conversations c
           set turn_count = c.turn_count + jsonb_array_length(g.turns), tally = g.tally, status = g.status,
               expires_at = ${expiresIn('g."silenceSec"')}
          from given g join locked l on l.id = g.id
         where c.id = g.id and c.turn_count = g."turnCount" and c.status = g.seen and ${IS_LIVE}
         returning c.*, g.turns as given_turns
      ), added as (${addedFrom('moved.given_turns')})
      select ${CONVERSATION_COLUMNS} from moved c`,
    values: [JSON.stringify(given)],
  });
  return rows;
}

/** An agent's first message in a conversation that is being created. */
export type FirstTurn = { conversationId: string; index: number; text: string };

export async function insertFirstTurns(db: Db, turns: readonly FirstTurn[]): Promise<void> {
  if (turns.length === 0) return;
  await db.query({
    name: 'insert_first_turns',
    text: `insert into turns (conversation_id, index, role, text, started_at_ms, ended_at_ms)
           select "conversationId", index, 'agent', text, 0, 0
             from jsonb_to_recordset($1::jsonb) as t ("conversationId" uuid, index int, text text)`,
    values: [JSON.stringify(turns)],
  });
}

/** Inserts earlier turns from another system into a conversation that is being created. They start at index 0. */
export async function insertBroughtTurns(
  db: Db,
  conversationId: string,
  turns: readonly BroughtTurn[],
): Promise<void> {
  if (turns.length === 0) return;
  await db.query({
    name: 'insert_brought_turns',
    text: `insert into turns (conversation_id, index, role, text, started_at_ms, ended_at_ms, redacted)
           select $1, t.place - 1, t.turn->>'role', t.turn->>'text', 0, 0, t.turn->'redacted'
             from jsonb_array_elements($2::jsonb) with ordinality as t(turn, place)`,
    values: [conversationId, JSON.stringify(turns)],
  });
}

export type BroughtTurn = { role: 'user' | 'agent' | 'system'; text: string; redacted?: Redacted };

/** Returns the messages that a human sent since the user's last message, oldest first. */
export async function readUnheard(db: Db, conversationId: string): Promise<string[]> {
  const { rows } = await db.query<{ text: string }>(
    `select text from turns
      where conversation_id = $1 and role = 'human' and index >
        (select coalesce(max(index), -1) from turns where conversation_id = $1 and role = 'user')
      order by index`,
    [conversationId],
  );
  return rows.map(({ text }) => text);
}

/** Returns the turns from a given index on, oldest first. */
export async function listTurns(
  db: Db,
  page: { conversationId: string; from: number; limit: number },
): Promise<TurnRow[]> {
  const { rows } = await db.query<TurnRow>({
    name: 'list_turns',
    text: `select ${TURN_COLUMNS} from turns where conversation_id = $1 and index >= $2
            order by index limit $3`,
    values: [page.conversationId, page.from, page.limit],
  });
  return rows;
}

/** Returns the last turns, oldest first. */
export async function readLastTurns(
  db: Db,
  { conversationId, limit }: { conversationId: string; limit: number },
): Promise<TurnRow[]> {
  const { rows } = await db.query<TurnRow>({
    name: 'read_last_turns',
    text: `select ${TURN_COLUMNS} from turns where conversation_id = $1 order by index desc limit $2`,
    values: [conversationId, limit],
  });
  return rows.toReversed();
}

/** Turn that was stored as failed because its process was killed. It is read when the request is repeated. */
export type FailedTurn = {
  messageIndex: number;
  tools: TurnRow[];
  /** Indexes of all turns of the failed request. */
  indexes: ReadonlySet<number>;
};

export async function readFailedTurn(
  db: Db,
  { conversationId, requestId }: { conversationId: string; requestId: string },
): Promise<FailedTurn | undefined> {
  const { rows } = await db.query<TurnRow>(
    `select ${TURN_COLUMNS} from turns where conversation_id = $1 and request_id = $2
      order by index`,
    [conversationId, requestId],
  );
  const message = rows.find(({ role }) => role === 'user');
  return (
    message && {
      messageIndex: message.index,
      tools: rows.filter(({ role }) => role === 'tool'),
      indexes: new Set(rows.map(({ index }) => index)),
    }
  );
}

/** Truncates a turn that was interrupted during playback, so that the transcript contains only what the user heard. */
export async function markHeard(
  db: Db,
  turn: { conversationId: string; index: number; heard: string },
): Promise<void> {
  await db.query({
    name: 'mark_heard',
    text: `update turns set text = $3, interrupted = true
            where conversation_id = $1 and index = $2 and role in ('agent', 'human')`,
    values: [turn.conversationId, turn.index, turn.heard],
  });
}
