import { expect, test } from 'vitest';
import { isAnyDue } from '../../../src/conversations/ending/due.sql.ts';
import { newUuid } from '../../../src/ids.ts';
import { minutesAgo, useRows, type Columns } from '../../platform/postgres/rows.ts';
import { addConversation } from '../stored-conversations.ts';

/** The only statement of an idle reaper. What it misses stays open forever. */

const stored = useRows('conversations', 'live_turns', 'deleted_agents', 'rollout_escalations');

const PAST = minutesAgo(1);
const FUTURE = minutesAgo(-5);
const AGENT = newUuid();

const converse = (columns: Columns = {}): Promise<string> =>
  addConversation(stored, { agent_id: AGENT, expires_at: FUTURE, ...columns });

async function escalate(columns: Columns): Promise<void> {
  const row = { id: newUuid(), conversation_id: await converse(), namespace: 'default' };
  const about = { agent_id: AGENT, reason: '', summary: '', times_out_at: FUTURE };
  await stored.add('escalations', { ...row, status: 'requested', ...about, ...columns });
}

const addTurn = (leased_until: unknown): Promise<void> =>
  stored.add('live_turns', {
    conversation_id: newUuid(),
    token: newUuid(),
    request_id: newUuid(),
    message: '',
    leased_until,
  });

const deleteAgent = (look_at: Date): Promise<void> =>
  stored.add('deleted_agents', {
    agent_id: newUuid(),
    namespace: 'default',
    deleted_at: PAST,
    look_at,
  });

const abortRollout = (look_at: Date): Promise<void> =>
  stored.add('rollout_escalations', {
    rollout_id: newUuid(),
    agent_id: AGENT,
    namespace: 'default',
    version: 2,
    reason: '',
    look_at,
  });

const ENDED = { status: 'ended', ended_at: PAST, expires_at: null };
const ACCEPTED = { status: 'accepted', accepted_at: PAST };

test.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
  ['lost turn', () => addTurn('-infinity'), () => addTurn(FUTURE)],
  [
    'missed heartbeat',
    () => escalate({ ...ACCEPTED, heartbeat_sec: 30, heartbeat_due_at: PAST }),
    () => escalate({ ...ACCEPTED, heartbeat_sec: 30, heartbeat_due_at: FUTURE }),
  ],
  ['unanswered escalation', () => escalate({ times_out_at: PAST }), () => escalate({})],
  ['expired conversation', () => converse({ expires_at: PAST }), () => converse()],
  ['missing summary', () => converse(ENDED), () => converse({ ...ENDED, summary: 'Done.' })],
  ['deleted agent', () => deleteAgent(PAST), () => deleteAgent(FUTURE)],
  ['aborted rollout', () => abortRollout(PAST), () => abortRollout(FUTURE)],
])('a %s is due when its time has come, and not before', async (_, due, notDue) => {
  expect(await isAnyDue(stored.pool)).toBe(false);
  await notDue();
  expect(await isAnyDue(stored.pool)).toBe(false);
  await due();
  expect(await isAnyDue(stored.pool)).toBe(true);
});
