import { createHmac } from 'node:crypto';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { EVENT_DATA, EVENT_TYPES, type EventType } from '../../src/events/event-types.ts';
import { startParley, startRoles, temporaryFolder, type Parley } from '../roles/parley-process.ts';
import { createTestDatabase } from '../platform/postgres/postgres.ts';
import { startReceiver, type Received, type Receiver } from '../webhooks/receiver.ts';
import { IS_NIGHTLY } from '../nightly.ts';

/**
 * The nine events out of real acts, through the REST API alone: one caller's whole way, in one
 * process and in three. What arrives is verified as a receiver would that knows only the contract.
 */

const RETURNS = `# Returns

You can return a lamp within 30 days of delivery if it is unused and in its box.
The refund is paid within five working days after the lamp has arrived at our warehouse.`;

/** Other tests of the normal lane have the roles in processes of their own (test/roles). */
const WAYS = IS_NIGHTLY
  ? (['one process', 'three processes'] as const)
  : (['one process'] as const);

describe.each(WAYS)('%s', (how) => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let receiver: Receiver;
  let parley: Parley;
  let secret: string;
  let conversation: { id: string };
  let received: Received[];

  beforeAll(async () => {
    folder = await temporaryFolder();
    database = await createTestDatabase();
    receiver = await startReceiver();
    const env = { DATABASE_URL: database.url };
    parley =
      how === 'one process'
        ? await startParley({ dataDir: path.join(folder.path, 'data'), env })
        : await startRoles({ databaseUrl: database.url });
    ({ secret } = await post('/v1/webhooks', { url: receiver.url }));
    conversation = await liveThroughAll();
    received = await receiver.until(
      (all) => EVENT_TYPES.every((type) => all.some(({ json }) => json.type === type)),
      30_000,
    );
  }, 120_000);

  afterAll(async () => {
    await parley?.stop();
    await receiver?.close();
    await database?.drop();
    await folder?.remove();
  });

  async function post(route: string, body: unknown = {}) {
    const { status, body: answer } = await parley.call('POST', route, body);
    if (status >= 300) throw new Error(`POST ${route}: ${status} ${JSON.stringify(answer)}`);
    return answer;
  }

  /** Publishes, rolls back, and lets somebody ask, be answered, be handed over and leave. */
  async function liveThroughAll(): Promise<{ id: string }> {
    const source = { type: 'text', name: 'returns', text: RETURNS };
    await post('/v1/knowledge/sources', source);
    const agent = await post('/v1/agents', {
      name: 'lamps',
      prompt: 'You sell lamps.',
      first_message: 'Hello, lamps here.',
      knowledge: { source_names: ['returns'] },
    });
    await parley.call('PATCH', `/v1/agents/${agent.id}`, { prompt: 'You sell only lamps.' });
    await post(`/v1/agents/${agent.id}/rollback`, { reason: 'too strict' });
    const started = await post('/v1/conversations', {
      agent_id: agent.id,
      channel: 'voice',
      user_id: 'customer-1',
    });
    const own = `/v1/conversations/${started.id}`;
    await post(`${own}/messages`, { text: 'Within how many days can I return a lamp?' });
    await post(`${own}/messages`, { text: 'Do you deliver chandeliers to Svalbard by boat?' });
    await post(`${own}/messages`, { text: 'I want to talk to a human, please.' });
    const { body: open } = await parley.call(
      'GET',
      `/v1/escalations?conversation_id=${started.id}`,
    );
    const escalation = `/v1/escalations/${open.data[0].id}`;
    await post(`${escalation}/accept`, { accepted_by: { id: 'op-1', name: 'Kim Larsen' } });
    await post(`${escalation}/messages`, { text: 'We do, in summer.' });
    await post(`${escalation}/complete`);
    return post(`${own}/end`);
  }

  const of = (type: EventType): Received['json'][] =>
    received.filter(({ json }) => json.type === type).map(({ json }) => json);

  test.each(EVENT_TYPES)(
    '%s arrives with its signatures and its fields, in their order',
    (type) => {
      const arrived = received.filter(({ json }) => json.type === type);
      expect(arrived.length).toBeGreaterThan(0);
      for (const { body, headers, json } of arrived) {
        const signature = createHmac('sha256', secret).update(body).digest('hex');
        expect(headers['parley-signature']).toBe(signature);
        // Throws when the signature is wrong.
        new Webhook(secret).verify(body.toString(), headers as Record<string, string>);
        expect(headers['parley-event-id']).toBe(json.id);
        expect(Object.keys(json)).toEqual(['id', 'type', 'created', 'data']);
        const shape = EVENT_DATA[type].shape;
        const fields = Object.keys(shape).filter((field) => Object.hasOwn(json.data, field));
        expect(Object.keys(json.data)).toEqual(fields);
        expect(EVENT_DATA[type].parse(json.data)).toEqual(json.data);
      }
    },
  );

  test('each thing that happened once is one event', () => {
    const counts = Object.fromEntries(EVENT_TYPES.map((type) => [type, of(type).length]));
    expect(counts).toEqual({
      'conversation.started': 1,
      'conversation.ended': 1,
      'conversation.transcript.ready': 1,
      'escalation.requested': 1,
      'escalation.accepted': 1,
      'knowledge.gap.detected': 1,
      'knowledge.source.synced': 1,
      'agent.published': 2,
      'agent.rolled_back': 1,
    });
  });

  test('conversation.ended has the seven fields of the specification with right values', async () => {
    const [ended] = of('conversation.ended');
    const { body: read } = await parley.call('GET', `/v1/conversations/${conversation.id}`);
    expect(ended!.data).toMatchObject({
      conversation_id: conversation.id,
      agent_id: read.agent_id,
      channel: 'voice',
      duration_sec: read.duration_sec,
      outcome: 'escalated',
      csat_predicted: read.csat_predicted,
      transcript_url: `${parley.url}/v1/conversations/${conversation.id}/transcript`,
      agent_version: 1,
    });
    expect(read).toMatchObject({ status: 'ended', outcome: 'escalated', agent_version: 1 });
    // Whole seconds that have passed; the two times are each cut to theirs.
    const between = read.ended_at - read.started_at;
    expect([between - 1, between, between + 1]).toContain(read.duration_sec);
    expect([1, 2, 3, 4, 5]).toContain(read.csat_predicted);
  });

  test('transcript_url answers with every word that was said', async () => {
    const [ended] = of('conversation.ended');
    const response = await fetch(String(ended!.data['transcript_url']), {
      headers: { authorization: `Bearer ${parley.apiKey}` },
    });
    expect(response.status).toBe(200);
    const { turns } = (await response.json()) as { turns: { role: string; text: string }[] };
    expect(turns.filter(({ role }) => role === 'user')).toHaveLength(3);
    expect(turns[0]).toMatchObject({ role: 'agent', text: 'Hello, lamps here.' });
    expect(turns.find(({ text }) => text.includes('30 days'))?.role).toBe('agent');
    expect(turns.find(({ text }) => text === 'We do, in summer.')?.role).toBe('human');
  });

  test('the events of the conversation arrive in the order in which they happened', () => {
    const order = received
      .filter(({ json }) => json.data['conversation_id'] === conversation.id)
      .map(({ json }) => json.type);
    expect(order).toEqual([
      'conversation.started',
      'knowledge.gap.detected',
      'escalation.requested',
      'escalation.accepted',
      'conversation.ended',
      'conversation.transcript.ready',
    ]);
  });
});
