import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/ids.ts';
import { startReceiver, type Receiver } from '../../webhooks/receiver.ts';
import { until } from '../../until.ts';
import { startModelFixture, WAYS, type ModelFixture } from '../turns/model-fixture.ts';

/** What an agent asks to be taken out of its users' words is nowhere: not stored, not sent, not logged. */

let api: ModelFixture;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  api = await startModelFixture({ delivery: true });
  const { status } = await api.call('POST', '/v1/webhooks', { json: { url: receiver.url } });
  expect(status).toBe(201);
});
beforeEach(() => {
  api.stub.requests.length = 0;
  api.stub.answer({});
});
afterAll(async () => {
  await api?.stop();
  await receiver?.close();
});

const REDACTION = ['card', 'email', 'phone', 'iban'];
const CARD = '4111 1111 1111 1111';
const EMAIL = 'ann.lee@example.com';
const PHONE = '+44 20 7946 0958';
const IBAN = 'DE89 3704 0044 0532 0130 00';
/** Parts of them too. */
const VALUES = [CARD, '1111 1111', EMAIL, 'ann.lee', PHONE, '7946 0958', IBAN, '0532 0130'];
const SAID = `Do you take ${CARD}? Write to ${EMAIL}, call ${PHONE} or pay to ${IBAN}.`;
const KEPT = 'Do you take [card]? Write to [email], call [phone] or pay to [iban].';
const COUNTS = { card: 1, email: 1, phone: 1, iban: 1 };

/** Every row of every table, as text; bytes are hex. */
async function everythingStored(): Promise<string> {
  const { pool } = api.engine;
  const { rows: tables } = await pool.query<{ name: string }>(
    `select quote_ident(table_name) as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  expect(tables.length).toBeGreaterThan(20);
  const all: string[] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query<{ row: string }>(`select t::text as row from ${name} t`);
    all.push(...rows.map(({ row }) => `${name}: ${row}`));
  }
  return all.join('\n');
}

async function expectNothingLeft(): Promise<void> {
  const asked = JSON.stringify(api.stub.requests);
  const told = receiver.received.map(({ body }) => body.toString()).join('\n');
  const stored = await everythingStored();
  for (const value of VALUES) {
    for (const form of [value, value.replaceAll(' ', ''), Buffer.from(value).toString('hex')]) {
      expect(stored).not.toContain(form);
      expect(asked).not.toContain(form);
      expect(told).not.toContain(form);
      expect(api.log.join('\n')).not.toContain(form);
    }
  }
}

async function counted(kind: string): Promise<number> {
  const { text } = await api.call('GET', '/metrics');
  return Number(
    new RegExp(`^parley_redactions_total\\{kind="${kind}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0,
  );
}

test.each(WAYS)('said by %s', async (way) => {
  const before = await counted('card');
  const talk = await api.talk(way, { redaction: REDACTION, tools: [api.order()] });
  api.stub.script(
    { text: 'Let me look.', toolCalls: [{ name: 'order', arguments: { id: 7 } }] },
    { text: 'I have noted that.' },
    { text: 'You are welcome.' },
  );
  expect(await talk.say(SAID)).toMatchObject({ status: 200 });
  expect(await talk.say(`Thanks, and ${EMAIL} or ${EMAIL}?`)).toMatchObject({ status: 200 });
  const id = await talk.id();
  const users = (await api.turns(id)).filter(({ role }) => role === 'user');
  expect(users).toMatchObject([
    { text: KEPT, redacted: COUNTS },
    { text: 'Thanks, and [email] or [email]?', redacted: { email: 2 } },
  ]);
  expect(JSON.stringify(api.stub.requests.at(-1)?.body)).toContain('Do you take [card]?');
  expect(await counted('card')).toBe(before + 1);
  await api.end(id);
  await receiver.until((all) =>
    all.some(({ json: { type, data } }) => type === READY && data['conversation_id'] === id),
  );
  await expectNothingLeft();
});

const READY = 'conversation.transcript.ready';

test('a question without an answer, a human who is asked for, and what is said to them', async () => {
  const agent = await api.newAgent({
    redaction: REDACTION,
    knowledge: { source_names: ['handbook'], min_score: 1 },
    escalation: { rules: [{ when: 'keyword', keywords: ['lawyer'] }] },
  });
  const id = await api.start({ agent_id: agent });
  await api.say(id, `Which unicorns can I buy with ${CARD}?`);
  await api.say(id, `My lawyer is ${EMAIL}.`);
  expect(await api.read(id)).toMatchObject({ status: 'escalated' });
  await api.say(id, `Whoever is there, call ${PHONE}.`);
  const turns = await api.turns(id);
  expect(turns.at(-1)).toMatchObject({
    text: 'Whoever is there, call [phone].',
    redacted: { phone: 1 },
  });
  expect(await api.eventTypes(id)).toContain('escalation.requested');
  await expectNothingLeft();
});

test('what was said elsewhere before: the user’s words alone', async () => {
  const agent = await api.newAgent({ redaction: ['card'] });
  const messages = [
    { role: 'system', content: 'They may call +44 20 7946 0000.' },
    { role: 'user', content: `Here is ${CARD}.` },
    { role: 'assistant', content: 'I see 5555 5555 5555 4444.' },
    { role: 'user', content: 'And now?' },
  ];
  const { headers } = await api.call('POST', '/v1/chat/completions', {
    json: { model: agent, messages },
  });
  const turns = await api.turns(headers.get('parley-conversation-id')!);
  expect(turns.slice(0, 4).map(({ text, redacted }) => ({ text, redacted }))).toEqual([
    { text: 'They may call +44 20 7946 0000.', redacted: undefined },
    { text: 'Here is [card].', redacted: { card: 1 } },
    { text: 'I see 5555 5555 5555 4444.', redacted: undefined },
    { text: 'And now?', redacted: undefined },
  ]);
  await expectNothingLeft();
});

test('a talk is found again by hashes that know nothing of it', async () => {
  const agent = await api.newAgent({ redaction: ['card'] });
  const say = async (content: string): Promise<string> => {
    const json = { model: agent, messages: [{ role: 'user', content }] };
    const { headers } = await api.call('POST', '/v1/chat/completions', { json });
    const id = headers.get('parley-conversation-id')!;
    const { rows } = await api.engine.pool.query<{ hashes: string }>(
      `select encode(state, 'hex') || encode(request, 'hex') as hashes from openai_talks
        where conversation_id = $1`,
      [toUuid('conv', id)],
    );
    return rows[0]!.hashes;
  };
  const hashes = await say(`It is ${CARD}`);
  expect(await say('It is 5555 5555 5555 4444')).toBe(hashes);
  expect(await say('It is 5555 5555 5555 4445')).not.toBe(hashes);
});

describe('a call', () => {
  const place = async (simulated: object): Promise<string> => {
    const agent_id = await api.newAgent({ redaction: REDACTION });
    const json = { agent_id, to: '+442079460000', simulated };
    const { status, body } = await api.call('POST', '/v1/calls', { json });
    expect(status).toBe(201);
    return body.id;
  };

  test('its script, while it waits', async () => {
    await place({ ring_ms: 60_000, turns: [{ text: SAID }] });
    expect(await everythingStored()).toContain('Do you take [card]?');
    await expectNothingLeft();
  });

  test('what is heard, with its counts', async () => {
    const id = await place({ turns: [{ text: SAID }] });
    await until('the call is over', async () => {
      return (await api.call('GET', `/v1/calls/${id}`)).body.status === 'completed';
    });
    const { body } = await api.call('GET', `/v1/calls/${id}`);
    const turns = await api.turns(body.conversation_id);
    expect(turns[0]).toMatchObject({ role: 'user', text: KEPT, redacted: COUNTS });
    await expectNothingLeft();
  });
});

test('a turn under way, and one that its end breaks off', async () => {
  const before = await counted('iban');
  const agent = await api.newAgent({ redaction: REDACTION });
  const id = await api.start({ agent_id: agent });
  api.stub.answer({ hang: 'before_headers' });
  const said = api.say(id, SAID);
  await until('the model is asked', async () => api.stub.requests.length >= 1);
  await expectNothingLeft();
  await api.end(id);
  await said;
  expect((await api.turns(id))[0]).toMatchObject({ role: 'user', text: KEPT, redacted: COUNTS });
  expect(await counted('iban')).toBe(before + 1);
  await expectNothingLeft();
});

test('the turn of a killed process, as it is settled by whoever comes next', async () => {
  const before = await counted('phone');
  const agent = await api.newAgent({ redaction: REDACTION, language: 'de' });
  const id = await api.start({ agent_id: agent });
  api.stub.answer({ hang: 'before_headers' });
  const said = api.say(id, SAID);
  await until('the model is asked', async () => api.stub.requests.length >= 1);
  await api.engine.pool.query(
    `update live_turns set token = gen_random_uuid(), leased_until = '-infinity'
      where conversation_id = $1`,
    [toUuid('conv', id)],
  );
  // Another process would settle it; of this one, only the newer message can.
  api.stub.answer({});
  const [lost, next] = await Promise.all([said, api.say(id, 'Are you there?')]);
  expect([lost.status, next.status]).toEqual([503, 200]);
  const [first, apology] = await api.turns(id);
  expect(first).toMatchObject({ role: 'user', text: KEPT, redacted: COUNTS });
  expect(apology).toMatchObject({
    role: 'agent',
    text: 'Es tut mir leid, ich konnte meine Antwort nicht beenden. Bitte sagen Sie das noch einmal.',
    error: { code: 'process_lost' },
  });
  expect(await counted('phone')).toBe(before + 1);
  await expectNothingLeft();
});

test('an agent that asks for nothing gets the words as they were; so does one who asks for less', async () => {
  for (const redaction of [undefined, [], ['phone']]) {
    const agent = await api.newAgent({ ...(redaction && { redaction }) });
    const id = await api.start({ agent_id: agent, user_id: 'bob@example.com' });
    const { body } = await api.say(id, 'Is 5555 5555 5555 4444 good?');
    expect(body.turns[0]).toMatchObject({ text: 'Is 5555 5555 5555 4444 good?' });
    expect(body.turns[0]).not.toHaveProperty('redacted');
    expect(body.conversation.user_id).toBe('bob@example.com');
  }
});

test('a test conversation is redacted, and not counted', async () => {
  const before = await counted('card');
  const agent = await api.newAgent({ redaction: REDACTION });
  const id = await api.start({ agent_id: agent, test: true });
  const { body } = await api.say(id, `It is ${CARD}`);
  expect(body.turns[0]).toMatchObject({ text: 'It is [card]', redacted: { card: 1 } });
  expect(await counted('card')).toBe(before);
});

test('it is content: a version keeps it, and a conversation that of its version', async () => {
  const agent = await api.newAgent({ redaction: ['card'] });
  const id = await api.start({ agent_id: agent });
  const { body } = await api.call('PATCH', `/v1/agents/${agent}`, { json: { redaction: null } });
  expect(body).toMatchObject({ active_version: 2, redaction: null });
  const { body: diff } = await api.call('GET', `/v1/agents/${agent}/versions/1/diff/2`);
  expect(diff.changes).toMatchObject([{ path: '/redaction', after: null }]);
  expect((await api.say(id, `It is ${CARD}`)).body.turns[0].text).toBe('It is [card]');
});

test.each([
  ['twice the same', ['card', 'card'], '/redaction'],
  ['what there is not', ['card', 'name'], '/redaction/1'],
  ['no list', 'card', '/redaction'],
  ['no word', [1], '/redaction/0'],
])('refused: %s', async (_, redaction, pointer) => {
  const reply = await api.call('POST', '/v1/agents', { json: { prompt: 'x', redaction } });
  expect(reply).toMatchObject({
    status: 422,
    body: { code: 'invalid_body', errors: [{ pointer }] },
  });
});
