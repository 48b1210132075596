import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Client } from 'pg';
import { createLedger, startRecorders, type Ledger } from '../webhooks/ledger/ledger.ts';
import type { LedgerEndpoint } from '../webhooks/ledger/ledger-entries.ts';
import type { Recorder } from '../webhooks/ledger/ledger-recorder.ts';
import { IS_NIGHTLY, roundsOf } from '../nightly.ts';
import { temporaryFolder } from './parley-process.ts';
import { databaseUrl } from '../platform/postgres/postgres.ts';
import { hasPreviousMain, previousMain, type Tree } from './previous-main.ts';
import { createRollout, type Rollout } from './rollout.ts';
import { startLoad, type Load } from './upgrade-load.ts';
import { missingFrom } from '../platform/resources/schema/whole-objects.ts';
import { until } from '../until.ts';

/**
 * Users must not notice an upgrade or its rollback. Under load, the database of the previous main is migrated, and this
 * tree replaces the previous main pod by pod. Then the previous main replaces this tree on the new schema. The previous
 * main is a commit of this repository that runs in its own processes.
 *
 * npm run test:nightly -- faults test/roles/upgrade
 */

/** Excluded from `npm test`, because the previous main installs its own packages and a roll takes a minute. */
const canRun = IS_NIGHTLY && (await hasPreviousMain());
const THIS_TREE = path.resolve(import.meta.dirname, '../..');
/** Number of upgrades with their rollbacks. At most 5, even in long runs. */
const ROUNDS = Math.min(roundsOf(1), 5);
/** Number of test events accepted between two steps of a roll. */
const BESIDE = 50;
/** Number of test events per second. */
const RATE = 100;
/** Response time in ms of slow receivers. Long enough that attempts are in progress when a pod has to stop. */
const SLOW_MS = 300;
/** Number of test events accepted while a receiver is down. They are retried 4 to 6 s later, by any pod. */
const DOWN = 40;
/** Duration of a long read of the queue during the migration. It is longer than anything may wait. */
const LONG_READ_SEC = 1.5;
/** Inserts waiting deliveries to a receiver that is down, because migrations of empty tables would be too quick. */
const BACKLOG = `
  insert into delivery_queue
    (id, namespace, endpoint_id, event_id, event_type, trigger, attempt, due_at, run_at)
  select parley_uuid_v7(), 'default', '00000000-0000-7000-8000-000000000001', parley_uuid_v7(),
         'agent.published', 'schedule', 5, now() + interval '1 day', now() + interval '1 day'
  from generate_series(1, 100000)`;
const SAMPLE = 10;
const WARM_UP = 20;
/** Types of the events that each ended conversation emits. */
const EVENT_TYPES = ['conversation.ended', 'conversation.started', 'conversation.transcript.ready'];
const EVENTS_WITHIN = { timeoutMs: 10_000, everyMs: 200 };

(canRun ? describe : describe.skip)('from the previous main to this tree and back', () => {
  const url = databaseUrl(`upgrade_${process.pid}`);
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let previous: Tree;
  let recorder: Recorder;
  let rollout: Rollout;
  let api: { url: string; apiKey: string };
  let ledger: Ledger;
  let load: Load;
  /** All endpoints. `subscribed` are those with events of conversations. */
  let endpoints: LedgerEndpoint[];
  let subscribed: LedgerEndpoint[];
  const ending = new AbortController();

  beforeAll(async () => {
    previous = await previousMain();
    folder = await temporaryFolder();
    [recorder] = (await startRecorders(folder.path)) as [Recorder];
    await administer('create');
    rollout = await createRollout({ databaseUrl: url, beside: () => accepts(BESIDE) });
    await rollout.start(previous.path);
    await query(BACKLOG);
    api = { url: rollout.url, apiKey: rollout.apiKey() };
    ledger = createLedger({ folder: folder.path, api: () => api, connections: 16 });
    endpoints = await newEndpoints(4, 'conversation.*');
    subscribed = [...endpoints];
    await recorder.answer(endpoints[1]!.path, { delayMs: SLOW_MS });
  }, 120_000);

  afterAll(async () => {
    ending.abort();
    await load?.stop();
    await ledger?.close();
    await rollout?.stop();
    await recorder?.stop();
    await administer('drop');
    await folder?.remove();
    await previous?.remove();
  }, 60_000);

  test(
    `F-47: rolled ${ROUNDS} times to this tree and back under load: no request fails, nothing is lost`,
    async () => {
      await warmUp();
      load = startLoad({ ...api, agentId: await createAgent() });
      const produced = ledger.openLoop({ endpoints, rate: RATE, until: ending.signal });
      for (let round = 0; round < ROUNDS; round += 1) {
        await stumble();
        await Promise.all([rollout.migrate(THIS_TREE), readForLong()]);
        await rollout.roll(THIS_TREE);
        const made = await makeThings(round);
        await stumble();
        await rollout.migrate(previous.path);
        await rollout.roll(previous.path);
        await expectWhole(made);
      }
      ending.abort();
      await Promise.all([produced, load.stop()]);
      await checkTalks();
      await ledger.settled(30_000);
      const verdict = await ledger.verdict();
      await expectNothingWaiting();

      const figures = {
        ...load.answered(),
        conversations: load.conversations().length,
      };
      console.info(JSON.stringify({ from: previous.commit, verdict, figures }));
      expect(load.failures()).toEqual([]);
      expect(verdict).toMatchObject({
        // Every request was accepted and got a response.
        refused: 0,
        unknown: 0,
        odd: [],
        lost: 0,
        failed: 0,
        // A stopping pod finishes the deliveries that it has begun, so no other pod repeats them.
        duplicates: 0,
        wrongBody: 0,
        badSignature: 0,
        foreign: 0,
        neverAccepted: 0,
      });
      expect(rollout.complaints()).toEqual([]);
    },
    60_000 + ROUNDS * 90_000,
  );

  /** Creates endpoints. They get test events regardless of their subscription. */
  async function newEndpoints(count: number, type: string): Promise<LedgerEndpoint[]> {
    return ledger.createEndpoints({ recorder, count, json: { event_types: [type] } });
  }

  /**
   * Sends requests to pods that have just started, so that the time for their first database connection does not affect
   * the result.
   */
  async function warmUp(): Promise<void> {
    const headers = { authorization: `Bearer ${api.apiKey}` };
    const read = (): Promise<Response> => fetch(`${api.url}/v1/events`, { headers });
    for (let i = 0; i < WARM_UP; i += 1) await Promise.all([read(), read(), read(), read()]);
  }

  async function createAgent(): Promise<string> {
    const response = await fetch(`${api.url}/v1/agents`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${api.apiKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ prompt: 'Help.' }),
    });
    expect(response.status).toBe(201);
    return ((await response.json()) as { id: string }).id;
  }

  const accepts = (count: number): Promise<void> =>
    ledger.reached(ledger.counts().accepted + count);

  /** Takes a receiver down for a moment, so that its events wait in the queue while the version changes. */
  async function stumble(): Promise<void> {
    const { path: at } = endpoints[0]!;
    await recorder.answer(at, { status: 503 });
    await accepts(DOWN); // The receiver is down for this long.
    await recorder.answer(at, { status: 200 });
  }

  type Made = {
    /** Responses by path. */
    shown: Map<string, unknown>;
    apiKey: string;
    repeated: { key: string; path: string; eventId: string };
  };

  /** Creates resources of every kind with this tree, and records how it returns them. */
  async function makeThings(round: number): Promise<Made> {
    const [endpoint] = await newEndpoints(1, 'escalation.requested');
    endpoints.push(endpoint!);
    const testPath = `/v1/webhooks/${endpoint!.id}/test`;
    const key = `upgrade-${round}`;
    const sent = await ask('POST', testPath, 202, { headers: { 'idempotency-key': key } });
    ledger.note(sent.body.event_id, [endpoint!]);
    const named = { name: key, scopes: ['read'] };
    const { body: apiKey } = await ask('POST', '/v1/api_keys', 201, { json: named });
    const shown = new Map<string, unknown>();
    for (const at of await stablePaths(endpoint!.id))
      shown.set(at, (await ask('GET', at, 200)).body);
    return {
      shown,
      apiKey: apiKey.key,
      repeated: { key, path: testPath, eventId: sent.body.event_id },
    };
  }

  /** Returns paths of resources that no longer change. */
  async function stablePaths(endpointId: string): Promise<string[]> {
    const { body: events } = await ask('GET', `/v1/events?limit=${SAMPLE}`, 200);
    const conversations = load.conversations().slice(-SAMPLE);
    return [
      `/v1/webhooks/${endpointId}`,
      ...events.data.map(({ id }: { id: string }) => `/v1/events/${id}`),
      ...conversations.flatMap(({ id }) => [
        `/v1/conversations/${id}`,
        `/v1/conversations/${id}/transcript`,
      ]),
    ];
  }

  /** Checks that the previous main returns everything that this tree has created. */
  async function expectWhole({ shown, apiKey, repeated }: Made): Promise<void> {
    for (const [at, before] of shown) {
      const { body: now } = await ask('GET', at, 200);
      expect(missingFrom(settled(before), settled(now), at)).toEqual([]);
    }
    await ask('GET', '/v1/agents', 200, { apiKey });
    const headers = { 'idempotency-key': repeated.key };
    const again = await ask('POST', repeated.path, 202, { headers });
    expect({ id: again.body.event_id, replayed: again.replayed }).toEqual({
      id: repeated.eventId,
      replayed: true,
    });
  }

  async function ask(
    method: 'GET' | 'POST',
    at: string,
    status: number,
    more: { json?: object; headers?: Record<string, string>; apiKey?: string } = {},
  ) {
    const reply = await load.ask({ method, path: at, expected: [status], ...more });
    if (!reply) throw new Error(load.failures().join('\n'));
    return reply;
  }

  /** Checks that each ended conversation has all its messages and three events. */
  async function checkTalks(): Promise<void> {
    for (const { id, said } of load.conversations()) {
      for (const event of await eventsOf(id)) ledger.note(event, subscribed);
      const { body } = await ask('GET', `/v1/conversations/${id}/transcript`, 200);
      const turns = body.turns as { role: string; text: string }[];
      const heard = turns.filter(({ role }) => role === 'user').map(({ text }) => text);
      expect({ id, heard }).toEqual({ id, heard: said });
    }
  }

  async function eventsOf(conversation: string): Promise<string[]> {
    // The summary takes a second or two.
    const events = await until(
      `the events of ${conversation}`,
      async () => {
        const { body } = await ask('GET', `/v1/events?conversation_id=${conversation}`, 200);
        const all = body.data as { id: string; type: string }[];
        return all.length >= EVENT_TYPES.length && all;
      },
      EVENTS_WITHIN,
    );
    const types = events.map(({ type }) => type).sort();
    expect({ conversation, types }).toEqual({ conversation, types: EVENT_TYPES });
    return events.map(({ id }) => id);
  }

  /** Reads like a database dump, which first reads every table and holds its locks until it ends. */
  async function readForLong(): Promise<void> {
    await query(`begin; select count(*) from delivery_queue; select pg_sleep(${LONG_READ_SEC})`);
  }

  /** Checks that no deliveries are waiting except those of the backlog. */
  async function expectNothingWaiting(): Promise<void> {
    const rows = await query(
      `select count(*)::int as waiting from delivery_queue where run_at < now() + interval '1 hour'`,
    );
    expect(rows).toEqual([{ waiting: 0 }]);
  }

  /** Runs statements on a separate connection. Closing the connection also ends their transaction. */
  async function query(text: string, at = url): Promise<unknown[]> {
    const client = new Client(at);
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  function administer(verb: 'create' | 'drop'): Promise<unknown> {
    const database = new URL(url).pathname.slice(1);
    const words = verb === 'drop' ? ['if exists', 'with (force)'] : ['', ''];
    const text = `${verb} database ${words[0]} ${database} ${words[1]}`;
    return query(text, databaseUrl('postgres'));
  }
});

/** Removes fields that keep changing: the state of an event's deliveries, and the last success and failure. */
function settled(body: unknown): unknown {
  const changing = ['deliveries', 'last_success_at', 'last_failure', 'status', 'summary'];
  return Object.fromEntries(
    Object.entries(body as object).filter(([name]) => !changing.includes(name)),
  );
}
