import { fromUuid } from '../../src/ids.ts';
import type { Db } from '../../src/platform/postgres/pool.ts';

/**
 * Many conversations with five versions of an agent and up to three handoffs, and what two recalled versions did in them.
 * SQL writes the rows, and TypeScript computes the truth from the number of a conversation alone.
 */
export type Many = {
  namespace: string;
  /** UUIDs of the agents. `front` and `desk` hand over to `recalled`, and it to them. */
  agents: { recalled: string; front: string; desk: string };
  count: number;
  /** Start of the first conversation in Unix milliseconds, and the time between two. */
  firstMs: number;
  everyMs: number;
  /** Three hexadecimal digits that tell these ids from others. */
  run: string;
};

export const RECALLED = [2, 4];

/** What the recalled versions did, as the API lists it: newest conversation first. */
export type Truth = {
  conversations: string[];
  users: string[];
  /** `<conversation>/<index of the turn>`. */
  toolCalls: string[];
};

const isTest = (i: number): boolean => i % 101 === 0;
const isErased = (i: number): boolean => i % 103 === 0;
const ERASED_SQL = 'i % 103 = 0';

/** Versions that took part in the conversation of this number, in the order of their turns. */
function versionsIn(i: number): number[] {
  const tenth = Math.floor(i / 10);
  const taken = 1 + (tenth % 5);
  if (i % 2 === 0) return [1 + (Math.floor(i / 2) % 5)];
  if (i % 10 === 1 || i % 10 === 3) return [taken];
  return i % 10 === 5 ? [taken, 1 + ((tenth + 2) % 5)] : [];
}

/** Turns with a tool call of `recalled`: index and version. */
function callsIn(i: number): [number, number][] {
  const [version = 0] = versionsIn(i);
  if (i % 10 === 2) return [1, 3].map((index) => [index, version]);
  if (i % 10 === 3) return [[3, version]];
  return i % 10 === 5 ? [[2, version]] : [];
}

function userOf(i: number, count: number): string | null {
  if (i % 20 === 4) return 'anonymous';
  return i % 7 === 0 ? null : `user-${i % Math.ceil(count / 5)}`;
}
const userSql = (count: number): string =>
  `case when i % 20 = 4 then 'anonymous' when i % 7 <> 0 then 'user-' || i % ${Math.ceil(count / 5)} end`;

function idOf({ firstMs, everyMs, run }: Many, i: number): string {
  const time = (firstMs + i * everyMs).toString(16).padStart(12, '0');
  return fromUuid(
    'conv',
    `${time.slice(0, 8)}-${time.slice(8)}-7${run}-8000-${i.toString(16).padStart(12, '0')}`,
  );
}

export function truthOf(many: Many): Truth {
  const truth: Truth = { conversations: [], users: [], toolCalls: [] };
  const users = new Set<string>();
  for (let i = many.count; i >= 1; i -= 1) {
    if (isTest(i) || !versionsIn(i).some((version) => RECALLED.includes(version))) continue;
    const id = idOf(many, i);
    truth.conversations.push(id);
    if (isErased(i)) continue;
    const user = userOf(i, many.count);
    if (user !== null) users.add(user);
    for (const [index, version] of callsIn(i)) {
      if (RECALLED.includes(version)) truth.toolCalls.push(`${id}/${index}`);
    }
  }
  truth.users = [...users];
  return truth;
}

/** Writes the conversations, with their turns and handoffs, by the statements that the triggers see. */
export async function fillConversations(db: Db, many: Many): Promise<void> {
  const { namespace, agents, count, firstMs, everyMs, run } = many;
  const { recalled, front, desk } = agents;
  const id = `(lpad(to_hex(${firstMs}::bigint + i::bigint * ${everyMs}), 12, '0') || '7${run}8000' || lpad(to_hex(i), 12, '0'))::uuid`;
  const numbers = `from generate_series(1, ${count}) i`;
  const taken = '1 + (i / 10) % 5';
  await db.query(
    `insert into conversations (id, namespace, agent_id, agent_version, channel, user_id, test, status, started_at, ended_at,
                                ended_reason, outcome, csat_predicted, summary, turn_count, max_duration_sec, silence_timeout_sec)
     select ${id}, '${namespace}', case when i % 2 = 0 then '${recalled}'::uuid else '${front}' end,
            case when i % 2 = 0 then 1 + (i / 2) % 5 else 1 end, 'chat', ${userSql(count)}, i % 101 = 0, 'ended',
            to_timestamp((${firstMs}::bigint + i::bigint * ${everyMs}) / 1000.0), now(), 'api', 'resolved', 4.0, 'x', 4, 100, 100
       ${numbers}`,
  );
  const turn = (index: number, agent: string, version: string, which: string) =>
    `select ${id}, ${index}, 'tool', '', 0, 0, '${agent}'::uuid, ${version}, '{"name":"refund"}'::jsonb ${numbers} where ${which}`;
  await db.query(
    `insert into turns (conversation_id, index, role, text, started_at_ms, ended_at_ms, agent_id, agent_version, tool_call)
     ${[
       turn(1, recalled, '1 + (i / 2) % 5', 'i % 10 = 2'),
       turn(3, recalled, '1 + (i / 2) % 5', 'i % 10 = 2'),
       turn(1, front, '1', 'i % 10 in (1, 3, 5)'),
       turn(2, desk, '1', 'i % 10 = 3'),
       turn(3, recalled, taken, 'i % 10 = 3'),
       turn(2, recalled, taken, 'i % 10 = 5'),
       turn(3, desk, '1', 'i % 10 = 5'),
     ].join(' union all ')}`,
  );
  const handOver = (to: string, version: string, which: string) =>
    db.query(
      `update conversations c set speaker_agent_id = '${to}', speaker_version = n.version
         from (select ${id} as id, ${version} as version ${numbers} where ${which}) n where c.id = n.id`,
    );
  await handOver(recalled, taken, 'i % 10 in (1, 5)');
  await handOver(front, '1', 'i % 10 = 3');
  await handOver(desk, '1', 'i % 10 = 5');
  await handOver(recalled, '1 + (i / 10 + 2) % 5', 'i % 10 = 5');
  const erased = `(select ${id} ${numbers} where ${ERASED_SQL})`;
  await db.query(`delete from turns where conversation_id in ${erased}`);
  await db.query(
    `update conversations set deleted_at = now(), user_id = null where id in ${erased}`,
  );
}

/** What the API lists, by its export, in the form of the truth. */
export async function listed(
  read: (list: string) => AsyncIterable<Record<string, unknown>>,
): Promise<Truth> {
  const found: Truth = { conversations: [], users: [], toolCalls: [] };
  for await (const one of read('conversations')) {
    found.conversations.push(String(one['conversation_id']));
  }
  for await (const one of read('users')) found.users.push(String(one['user_id']));
  for await (const one of read('tool_calls')) {
    const { index } = one['turn'] as { index: number };
    found.toolCalls.push(`${String(one['conversation_id'])}/${index}`);
  }
  return found;
}
