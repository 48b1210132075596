import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pino } from 'pino';
import { createDisturb, type Disturb } from '../../platform/postgres/disturb.ts';
import type { Reply } from '../../roles/api/api-setup.ts';
import { startConversationFixture, type ConversationFixture } from '../conversation-setup.ts';

/** parley_escalations_total counts what is committed, however often PostgreSQL has it run again. */

/** Failures are what is tried here. */
const silent = pino({ level: 'silent' });

let fixture: ConversationFixture;
let disturb: Disturb;
beforeAll(async () => {
  fixture = await startConversationFixture({ log: silent });
  disturb = await createDisturb(fixture.engine.pool, { table: 'conversations', at: 'commit' });
});
afterAll(() => fixture?.stop());

/** As often as one transaction is run. */
const TRIES = 3;

async function counted(): Promise<Record<string, number>> {
  const { values } = await fixture.engine.metrics.escalations.get();
  return Object.fromEntries(values.map(({ labels, value }) => [String(labels['status']), value]));
}

/** What was counted meanwhile. */
async function countedBy(act: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await counted();
  await act();
  const after = Object.entries(await counted());
  return Object.fromEntries(
    after.map(([status, n]) => [status, n - (before[status] ?? 0)]).filter(([, n]) => n !== 0),
  );
}

type Act = () => Promise<Reply>;
type Prepare = () => Promise<Act>;

const post = (path: string, json: unknown = {}): Promise<Reply> =>
  fixture.call('POST', path, { json });

async function requested(): Promise<{ conversation: string; path: string }> {
  const conversation = await fixture.start();
  const { body } = await post(`/v1/conversations/${conversation}/escalate`);
  return { conversation, path: `/v1/escalations/${body.id}` };
}

const accept = (path: string): Promise<Reply> =>
  post(`${path}/accept`, { accepted_by: { id: 'op-1', name: 'Kim' } });

const ACTS: [what: string, status: string, prepare: Prepare][] = [
  [
    'asked for from outside',
    'requested',
    async () => {
      const id = await fixture.start();
      return () => post(`/v1/conversations/${id}/escalate`);
    },
  ],
  [
    'asked for in a turn',
    'requested',
    async () => {
      const escalation = { rules: [{ when: 'user_request' }] };
      const id = await fixture.start({ agent_id: await fixture.newAgent({ escalation }) });
      return () => fixture.say(id, 'Let me talk to a human');
    },
  ],
  [
    'accepted',
    'accepted',
    async () => {
      const { path } = await requested();
      return () => accept(path);
    },
  ],
  [
    'declined',
    'declined',
    async () => {
      const { path } = await requested();
      return () => post(`${path}/decline`);
    },
  ],
  [
    'handed back',
    'completed',
    async () => {
      const { path } = await requested();
      await accept(path);
      return () => post(`${path}/complete`);
    },
  ],
  [
    'ended with its conversation',
    'canceled',
    async () => {
      const { conversation } = await requested();
      return () => fixture.end(conversation);
    },
  ],
  [
    'erased with its conversation',
    'canceled',
    async () => {
      const { conversation } = await requested();
      return () => fixture.call('DELETE', `/v1/conversations/${conversation}`);
    },
  ],
];

describe.each(ACTS)('%s', (_, status, prepare) => {
  test('is counted once when the transaction had to be run again', async () => {
    const act = await prepare();
    await disturb(1);
    expect(
      await countedBy(async () => {
        expect((await act()).status).toBeLessThan(300);
      }),
    ).toEqual({ [status]: 1 });
  });

  test('is not counted when the transaction failed for good', async () => {
    const act = await prepare();
    await disturb(TRIES);
    expect(
      await countedBy(async () => {
        expect((await act()).status).toBeGreaterThanOrEqual(500);
      }),
    ).toEqual({});
  });
});
