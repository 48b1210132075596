import type { Db } from '../../platform/postgres/pool.ts';

/**
 * A talk is the stored state of a conversation with a client that uses OpenAI's protocol. It shows which conversation
 * the client's next request continues (contract/openai.md#conversations).
 */
export type TalkRow = {
  conversationId: string;
  state: Buffer;
  request: Buffer;
  status: 'pending' | 'answered' | 'failed' | 'interrupted';
  firstIndex: number;
  turnCount: number;
  /** Time in seconds since the talk's last request. */
  ageSec: number;
};

/** Talk with some properties of its conversation. */
export type FoundTalk = TalkRow & {
  agentId: string;
  agentVersion: number;
  /** Whether a human has ever taken over the conversation. If so, the human may have written messages. */
  hadHuman: boolean;
  /** Revision of the row. It changes with every write. */
  revision: string;
};

const CANDIDATES_MAX = 20;

/**
 * Finds talks of live conversations by the hashes of their messages, optionally within a given conversation. Skips
 * conversations in which the user has written since the talk's last request. Newest first.
 */
export async function findTalks(
  db: Db,
  by: { hashes: readonly Buffer[]; conversationId?: string | undefined },
): Promise<FoundTalk[]> {
  const { rows } = await db.query<FoundTalk>({
    name: 'find_openai_talks',
    text: `select t.conversation_id as "conversationId", t.state, t.request, t.status,
                  t.first_index as "firstIndex", t.turn_count as "turnCount",
                  extract(epoch from clock_timestamp() - t.updated_at)::float8 as "ageSec",
                  t.xmin::text as revision, c.agent_id as "agentId", c.agent_version as "agentVersion",
                  (c.tally->'escalations'->>'accepted')::int > 0 as "hadHuman"
             from openai_talks t join conversations c on c.id = t.conversation_id
            where (t.state = any($1::bytea[]) or t.request = any($1::bytea[]))
              and ($2::uuid is null or t.conversation_id = $2)
              and c.ended_at is null and c.deleted_at is null
              and c.expires_at > clock_timestamp()
              and not exists (select 1 from turns u where u.conversation_id = t.conversation_id
                                 and u.index >= t.turn_count and u.role = 'user'
                                 -- A turn that the reaper stored for a killed process still needs a reply.
                                 and not (t.status = 'pending' and u.request_id is not null
                                   and u.request_id = encode(substr(t.request, 1, 16), 'hex')::uuid))
            order by t.conversation_id desc limit ${CANDIDATES_MAX}`,
    values: [by.hashes, by.conversationId],
  });
  return rows;
}

/** Saves the state of a new talk, or of a talk after a turn. */
export async function saveTalk(db: Db, talk: Omit<TalkRow, 'ageSec'>): Promise<void> {
  await db.query({
    name: 'save_openai_talk',
    text: `insert into openai_talks
             (conversation_id, state, request, status, first_index, turn_count)
           values ($1, $2, $3, $4, $5, $6)
           on conflict (conversation_id) do update
             set state = excluded.state, request = excluded.request, status = excluded.status,
                 first_index = excluded.first_index, turn_count = excluded.turn_count,
                 updated_at = clock_timestamp()`,
    values: [
      talk.conversationId,
      talk.state,
      talk.request,
      talk.status,
      talk.firstIndex,
      talk.turnCount,
    ],
  });
}

/** Claims a talk for a request. Returns false if another request claimed it first. */
export async function claimTalk(
  db: Db,
  { conversationId, revision }: Pick<FoundTalk, 'conversationId' | 'revision'>,
  request: Buffer,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'claim_openai_talk',
    text: `update openai_talks
              set state = $3, request = $3, status = 'pending', updated_at = clock_timestamp()
            where conversation_id = $1 and xmin = $2::xid`,
    values: [conversationId, revision, request],
  });
  return rowCount === 1;
}

/** Restores the state of a talk after a failed request, so that the client can retry the request immediately. */
export async function releaseTalk(
  db: Db,
  { conversationId, state, request, status, ageSec }: TalkRow,
): Promise<void> {
  await db.query(
    `update openai_talks
        set state = $2, request = $3, status = $4,
            updated_at = clock_timestamp() - make_interval(secs => $5)
      where conversation_id = $1 and status = 'pending'`,
    [conversationId, state, request, status, ageSec],
  );
}

/** Returns the request id that is stored with the turn of a request. A repetition of the request has the same id. */
export function turnRequestId({ request }: Pick<TalkRow, 'request'>): string {
  return request.subarray(0, 16).toString('hex');
}

/**
 * Stores the id of a request in the turns of its earlier attempt. The new attempt then finds the request's message
 * among these turns and does not add it twice.
 */
export async function markForAnswer(db: Db, talk: TalkRow): Promise<void> {
  await db.query(
    `update turns set request_id = $4
      where conversation_id = $1 and index >= $2 and index < $3`,
    [talk.conversationId, talk.firstIndex, talk.turnCount, turnRequestId(talk)],
  );
}
