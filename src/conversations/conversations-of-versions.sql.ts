import { lowestUuidAt } from '../ids.ts';
import type { Db } from '../platform/postgres/pool.ts';
import { CONVERSATION_COLUMNS, type ConversationRow } from './record/conversations.sql.ts';
import { TURN_COLUMNS, type TurnRow } from './record/turns.sql.ts';

/**
 * This module lists the conversations, users and tool calls of given versions of an agent (contract/recalls.md#lists).
 * The lists cover the conversations that one of these versions started or took over in a handoff, except tests. Each
 * list reads the newest rows of each version from `conversation_versions` and merges them, so a page costs the same
 * however many conversations there are.
 */
export type OfVersions = {
  agentId: string;
  versions: readonly number[];
  /** Earliest start of a conversation in Unix milliseconds; `null` to include all conversations. */
  since: number | null;
};

export type ConversationOfVersions = ConversationRow & {
  /** The given versions that took part in the conversation. */
  versions: number[];
  /** Whether the conversation was erased. If so, its user and turns are gone. */
  isErased: boolean;
};

/** A user of these versions, and the user's newest conversation with them. */
export type UserOfVersions = { id: string; userId: string; startedAt: number };

/** A tool call by one of these versions. `id` and `userId` are those of its conversation. */
export type ToolCallOfVersions = TurnRow & {
  id: string;
  userId: string | null;
  /** Time of the call in Unix milliseconds. */
  calledAt: number;
};

/** Highest UUID. Lists are newest first, so this UUID is the cursor for the beginning of a list. */
const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/**
 * Margin in ms. An id contains its creation time, so the lists scan the ids from `since` on. The scan starts earlier by
 * this margin, because the time in an id may come from a different clock than the start of the conversation.
 */
const ID_LEAD_MS = 3_600_000;

/**
 * Selects the newest rows of each version as `conversation_id`, `version`. $1 to $4 are the agent, the versions, the
 * lowest id and the earliest start. `upTo` and `limit` are SQL expressions; `ofVersion` and `ofConversation` are
 * additional conditions. `offset 0` makes PostgreSQL look up conversations one by one. It prevents a merge join, which
 * would read the conversations of all earlier pages.
 */
const newest = (page: {
  upTo: string;
  limit: string;
  ofVersion?: string;
  ofConversation?: string;
}) => `
  select s.conversation_id, s.version
    from unnest($2::int[]) wanted (version)
   cross join lateral (
     select v.conversation_id, v.version from conversation_versions v
      cross join lateral (
        select from conversations c
         where c.id = v.conversation_id and c.started_at >= to_timestamp($4::float8 / 1000)
               ${page.ofConversation ?? ''} offset 0) started
      where v.agent_id = $1 and v.version = wanted.version and v.conversation_id >= $3::uuid
        and v.conversation_id ${page.upTo} ${page.ofVersion ?? ''}
      order by v.conversation_id desc limit ${page.limit}) s`;

/** SQL that joins the conversation of each row of `n` as `c`. */
const ITS_CONVERSATION = `
  cross join lateral (select * from conversations where id = n.conversation_id offset 0) c`;

const valuesOf = ({ agentId, versions, since }: OfVersions): unknown[] => {
  const lowest = since === null ? lowestUuidAt(0) : lowestUuidAt(Math.max(0, since - ID_LEAD_MS));
  return [agentId, versions, lowest, since ?? 0];
};

/** Lists the conversations, newest first. `before` is the last id of the previous page. */
export async function listConversationsOfVersions(
  db: Db,
  page: OfVersions & { before?: string | undefined; limit: number },
): Promise<ConversationOfVersions[]> {
  const { rows } = await db.query<ConversationOfVersions>({
    name: 'list_conversations_of_versions',
    text: `select ${CONVERSATION_COLUMNS}, n.versions, c.deleted_at is not null as "isErased"
             from (select conversation_id, array_agg(version order by version) as versions
                     from (${newest({ upTo: '< $5::uuid', limit: '$6::int' })}) each
                    group by conversation_id order by conversation_id desc limit $6::int) n
             ${ITS_CONVERSATION}
            order by c.id desc`,
    values: [...valuesOf(page), page.before ?? LAST, page.limit],
  });
  return rows;
}

/**
 * Lists each user once, in the order of the user's newest conversation with these versions. `before` is the
 * conversation of the last user on the previous page.
 */
export async function listUsersOfVersions(
  db: Db,
  page: OfVersions & { before?: string | undefined; limit: number },
): Promise<UserOfVersions[]> {
  const isNewest = `and c.user_id is not null and not exists (
          select from conversations n
            join conversation_versions t on t.agent_id = $1 and t.version = any($2::int[]) and t.conversation_id = n.id
           where n.namespace = c.namespace and n.user_id = c.user_id and n.deleted_at is null and n.id > c.id
             and n.started_at >= to_timestamp($4::float8 / 1000))`;
  const { rows } = await db.query<UserOfVersions>({
    name: 'list_users_of_versions',
    text: `select c.id, c.user_id as "userId", c.started_at as "startedAt"
             from (select distinct conversation_id
                     from (${newest({ upTo: '< $5::uuid', limit: '$6::int', ofConversation: isNewest })}) each
                    order by conversation_id desc limit $6::int) n
             ${ITS_CONVERSATION}
            order by c.id desc`,
    values: [...valuesOf(page), page.before ?? LAST, page.limit],
  });
  return rows;
}

/** Position of a tool call: its conversation and the index of its turn. */
export type CallPlace = { id: string; index: number };

/**
 * Lists the tool calls, newest conversation first, and in the order of turns within a conversation. `after` is the last
 * call on the previous page.
 */
export async function listToolCallsOfVersions(
  db: Db,
  page: OfVersions & { after?: CallPlace | undefined; limit: number },
): Promise<ToolCallOfVersions[]> {
  const { after = { id: LAST, index: -1 }, limit } = page;
  // Reads one conversation more than needed, because the last conversation of the previous page is read again and may
  // have no further calls.
  const upTo = { upTo: '<= $5::uuid', limit: '$6::int + 1', ofVersion: 'and v.has_tool_calls' };
  const { rows } = await db.query<ToolCallOfVersions>({
    name: 'list_tool_calls_of_versions',
    text: `select c.id, c.user_id as "userId", t.*,
                  c.started_at + make_interval(secs => t."startedAtMs" / 1000.0) as "calledAt"
             from (select distinct conversation_id from (${newest(upTo)}) each
                    order by conversation_id desc limit $6::int + 1) n
             ${ITS_CONVERSATION}
            cross join lateral (
              select ${TURN_COLUMNS} from turns
               where conversation_id = c.id and role = 'tool' and agent_id = $1
                 and agent_version = any($2::int[])
                 and index > case when c.id = $5::uuid then $7::int else -1 end) t
            order by c.id desc, t.index limit $6::int`,
    values: [...valuesOf(page), after.id, limit, after.index],
  });
  return rows;
}
