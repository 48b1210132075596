import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/ids.ts';
import { holdTime } from '../../clock.ts';
import { freePort } from '../../free-port.ts';
import { createCall, type Call, type Reply } from '../../roles/api/api-setup.ts';
import { startRole, type Parley } from '../../roles/parley-process.ts';
import { until } from '../../until.ts';
import { startConversationFixture, type ConversationFixture } from '../conversation-setup.ts';
import { IS_NIGHTLY } from '../../nightly.ts';

/**
 * The process is killed at each step of a hand-over, before and after the commit: after a repeat by the same
 * key one person has the conversation, everything was told once, and nobody waits for ever.
 */

const KIM = { id: 'op-1', name: 'Kim' };
let fixture: ConversationFixture;
let agent_id: string;
/** The process that dies; `fixture` is another one. */
let dying: (Parley & { api: Call }) | undefined;

beforeAll(async () => {
  fixture = await startConversationFixture();
  const escalation = { team: 'first line', fallback_team: 'second line', timeout_sec: 600 };
  agent_id = await fixture.newAgent({ escalation });
});
afterAll(() => fixture?.stop());

let conversation: string;
let esc: string;
let keys = 0;

beforeEach(async () => {
  conversation = await fixture.start({ agent_id });
  const path = `/v1/conversations/${conversation}/escalate`;
  esc = (await fixture.call('POST', path, { json: {} })).body.id;
});
afterEach(async () => {
  await dying?.kill();
  dying = undefined;
});

async function startDying(point: string): Promise<Parley & { api: Call }> {
  const port = String(await freePort());
  const env = {
    PARLEY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
    PARLEY_PORT: port,
    PARLEY_RATE_LIMIT: '0',
    PARLEY_FAILPOINTS: `${point}=kill`,
  };
  const role = await startRole('api', { databaseUrl: fixture.engine.databaseUrl, env });
  dying = { ...role, api: createCall(`http://127.0.0.1:${port}`, fixture.key) };
  return dying;
}

const act = (what: string, json: object, key?: string, call = fixture.call): Promise<Reply> =>
  call('POST', `/v1/escalations/${esc}/${what}`, {
    json,
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  });

async function shift(column: 'heartbeat_due_at' | 'times_out_at'): Promise<void> {
  await fixture.engine.pool.query(
    `update escalations set ${column} = clock_timestamp() where id = $1`,
    [toUuid('esc', esc)],
  );
}

async function read() {
  const id = toUuid('conv', conversation);
  const escalations = await fixture.engine.pool.query<{
    status: string;
    team: string;
    by: string | null;
  }>(
    `select status, team, accepted_by ->> 'name' as by from escalations
      where conversation_id = $1 order by id`,
    [id],
  );
  const events = await fixture.engine.pool.query<{ type: string }>(
    `select type from events where conversation_id = $1 and type like 'escalation.%' order by id`,
    [id],
  );
  const turns = await fixture.engine.pool.query<{ text: string }>(
    'select text from turns where conversation_id = $1 order by index',
    [id],
  );
  return {
    escalations: escalations.rows.map(({ status, team, by }) =>
      `${team}: ${status} ${by ?? ''}`.trim(),
    ),
    events: events.rows.map(({ type }) => type.replace('escalation.', '')),
    turns: turns.rows.map(({ text }) => text.replace(/\..*/s, '')),
  };
}

const ASKED = 'A human has been asked to take over';

/** By REST: what was done before, the act, and what there is after it, once. */
const ACTS = [
  {
    what: 'accept',
    json: { accepted_by: KIM, heartbeat_sec: 600 },
    before: async () => undefined,
    escalations: ['first line: accepted Kim'],
    events: ['requested', 'accepted'],
    turns: [ASKED, 'Kim has joined'],
  },
  {
    what: 'messages',
    json: { text: 'Kim here', by: KIM.id },
    before: () => act('accept', { accepted_by: KIM }),
    escalations: ['first line: accepted Kim'],
    events: ['requested', 'accepted'],
    turns: [ASKED, 'Kim has joined', 'Kim here'],
  },
  {
    what: 'release',
    json: { by: KIM.id, team: 'lawyers' },
    before: () => act('accept', { accepted_by: KIM }),
    escalations: ['lawyers: requested'],
    events: ['requested', 'accepted', 'requested'],
    turns: [ASKED, 'Kim has joined', 'Kim has left'],
  },
  {
    what: 'complete',
    json: { by: KIM.id },
    before: () => act('accept', { accepted_by: KIM }),
    escalations: ['first line: completed Kim'],
    events: ['requested', 'accepted'],
    turns: [ASKED, 'Kim has joined', 'Kim has left'],
  },
] as const;

const POINTS = ['conversation.committing', 'conversation.committed', 'api.answering'];

describe.each(IS_NIGHTLY ? ACTS : ACTS.slice(0, 1))(
  'killed while somebody does $what',
  ({ what, json, before, ...after }) => {
    test.each(IS_NIGHTLY ? POINTS : ['conversation.committed'])(
      'at %s: the repeat finds it done, or does it',
      async (point) => {
        await before();
        const { api } = await startDying(point);
        const key = `${what}-${(keys += 1)}`;
        await expect(act(what, json, key, api)).rejects.toThrow(/socket hang up|ECONNRESET/);
        // As if the 60 s were over that the mark of a request under way lasts.
        await fixture.engine.pool.query(
          `update idempotency_marks set claimed_at = '-infinity' where answer is null`,
        );
        expect((await act(what, json, key)).status).toBe(200);
        expect(await read()).toEqual(after);
      },
    );
  },
);

/** By time: whoever vanished, and nobody of the first team. */
const TIMES = [
  {
    name: 'a person has vanished',
    column: 'heartbeat_due_at',
    before: () => act('accept', { accepted_by: KIM, heartbeat_sec: 600 }),
    after: {
      escalations: ['first line: requested'],
      events: ['requested', 'accepted', 'requested'],
      turns: [ASKED, 'Kim has joined', 'Kim has left'],
    },
  },
  {
    name: 'nobody of the first team came',
    column: 'times_out_at',
    before: async () => undefined,
    after: {
      escalations: ['first line: timed_out', 'second line: requested'],
      events: ['requested', 'requested'],
      turns: [ASKED, 'Nobody is free yet'],
    },
  },
] as const;

// Of a kill, the normal lane has the case above.
describe.runIf(IS_NIGHTLY).each(TIMES)('killed when $name', ({ column, before, after }) => {
  test.each(['conversation.committing', 'conversation.committed'])(
    'at %s: another process does it, once',
    async (point) => {
      await before();
      const time = holdTime();
      await time.armed(1_000); // The reaper of this process waits for it.
      const { exited } = await startDying(point);
      await shift(column);
      await exited;
      await until('it to be done', async () => {
        await time.advance(1_000);
        return (await read()).events.length === after.events.length;
      });
      expect(await read()).toEqual(after);
    },
  );
});
