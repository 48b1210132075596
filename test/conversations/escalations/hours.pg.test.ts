import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { awaitCondition } from '../../agents/agents.ts';
import { pass } from '../conversation-setup.ts';
import { startModelFixture, type ModelFixture } from '../turns/model-fixture.ts';

/** Nobody is asked to take over while nobody is there (docs/decisions/0055). */

let fixture: ModelFixture;
beforeAll(async () => {
  fixture = await startModelFixture({ modelSettings: undefined });
});
afterAll(() => fixture?.stop());

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
/** Always, but that all days from yesterday to tomorrow are days off. */
function closed(fields: object = {}): object {
  const closed_on = [-1, 0, 1].map((day) =>
    new Date(Date.now() + day * 86_400_000).toISOString().slice(0, 10),
  );
  const open = [{ days: DAYS, from: '00:00', to: '24:00' }];
  return { time_zone: 'UTC', open, closed_on, closed_message: 'Nobody is here.', ...fields };
}
const OPEN = closed({ closed_on: [] });

async function talk(escalation: object, fields: object = {}): Promise<string> {
  const agent_id = await fixture.newAgent({ escalation, ...fields });
  return fixture.start({ agent_id });
}
const reply = async (id: string, text: string): Promise<string> => {
  const { status, body } = await fixture.say(id, text);
  expect(status).toBe(200);
  return String(body.turns.at(-1).text);
};
const requests = async (id: string): Promise<number> =>
  (await fixture.eventTypes(id)).filter((type) => type === 'escalation.requested').length;

test('within the hours a person is asked for as ever', async () => {
  const id = await talk({ hours: OPEN });
  expect(await reply(id, 'I want to talk to a human')).toMatch(/^I am asking a colleague/);
  expect(await requests(id)).toBe(1);
});

describe('outside the hours', () => {
  test('who asks for a person is told each time, and the agent goes on; the end is honest', async () => {
    const id = await talk({ hours: closed() });
    expect(await reply(id, 'I want to talk to a human')).toBe('Nobody is here.');
    expect(await reply(id, 'Give me a person please')).toBe('Nobody is here.');
    expect(await reply(id, 'How long does delivery take?')).toMatch(/three working days/);
    expect(await requests(id)).toBe(0);
    expect(await fixture.read(id)).toMatchObject({ status: 'active' });

    const other = await talk({ hours: closed() });
    await reply(other, 'I want to talk to a human');
    await fixture.end(other);
    const ended = await fixture.engine.eventually(async () => {
      const body = await fixture.read(other);
      return body.summary !== null && body;
    });
    expect(ended).toMatchObject({
      outcome: 'unresolved',
      summary: expect.stringContaining('A human was requested while nobody was available.'),
    });
  });

  test('a rule says it once, after what was answered', async () => {
    const rules = [{ when: 'keyword', keywords: ['delivery'] }];
    const id = await talk({ rules, hours: closed() });
    expect(await reply(id, 'How long does delivery take?')).toMatch(
      /three working days[^]*\n\nNobody is here\.$/,
    );
    expect(await reply(id, 'Is delivery to islands slower?')).not.toContain('Nobody is here.');
    expect(await requests(id)).toBe(0);
  });

  test('a limit of turns does not silence, and no person is offered who is not there', async () => {
    const rules = [{ when: 'turn_limit', count: 2 }];
    const id = await talk({ rules, hours: closed() });
    expect(await reply(id, 'Is the velvet sofa blue?')).not.toContain('colleague');
    expect(await reply(id, 'Hello')).toMatch(/^Hello![^]*\n\nNobody is here\.$/);
    expect(await reply(id, 'When are you open?')).toMatch(/nine to six/);
  });

  test('no answer twice in a row says it in place of the offer', async () => {
    const rules = [{ when: 'low_confidence', count: 2 }];
    const id = await talk({ rules, hours: closed() });
    expect(await reply(id, 'Is the velvet sofa blue?')).not.toContain('Nobody is here.');
    expect(await reply(id, 'Do llamas like violins?')).toBe(
      "Sorry, I don't have that information. Could you rephrase? Nobody is here.",
    );
    expect(await requests(id)).toBe(0);
  });

  test('who asks by key is obeyed at any hour', async () => {
    const id = await talk({ hours: closed() });
    const { status } = await fixture.call('POST', `/v1/conversations/${id}/escalate`, { json: {} });
    expect(status).toBe(201);
  });

  test('the next team is not asked: the agent goes on', async () => {
    const teams = { team: 'first', fallback_team: 'second', timeout_sec: 60 };
    const id = await talk({ ...teams, hours: closed() });
    await fixture.call('POST', `/v1/conversations/${id}/escalate`, { json: {} });
    await pass(fixture, id, 61);
    await fixture.engine.eventually(async () => (await fixture.read(id)).status === 'active');
    expect(await requests(id)).toBe(1);
  });
});

describe('with a model', () => {
  const MODEL = { model: { provider: 'quick' } };

  test('a transfer is refused, and the model is told when somebody is back', async () => {
    const tools = [{ type: 'transfer_call', name: 'human' }];
    const id = await talk({ hours: closed() }, { ...MODEL, tools });
    fixture.stub.script(
      { toolCalls: [{ name: 'human', arguments: {} }] },
      { text: 'They are away.' },
    );
    expect(await reply(id, 'This is too hard for you.')).toBe('They are away.');
    const tool = (await fixture.turns(id)).find(({ role }) => role === 'tool')!;
    expect(tool['tool_result']).toMatchObject({ ok: false });
    expect(JSON.stringify(tool['tool_result'])).toContain('Nobody is here.');
    expect(await requests(id)).toBe(0);
  });

  test('a tool that wants a person is told so, and its answer counts all the same', async () => {
    const id = await talk({ hours: closed() }, { ...MODEL, tools: [fixture.order()] });
    fixture.shop.answer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'parley-escalate': 'big' });
      response.end('{"total": 900}');
    });
    fixture.stub.script(
      { toolCalls: [{ name: 'order', arguments: { id: 7 } }] },
      { text: 'It is 900.' },
    );
    expect(await reply(id, 'Where is my order 7?')).toBe('It is 900.');
    const tool = (await fixture.turns(id)).find(({ role }) => role === 'tool')!;
    expect(tool['tool_result']).toMatchObject({ ok: true });
    expect(JSON.stringify(tool['tool_result'])).toContain('Nobody is here.');
    expect(await requests(id)).toBe(0);
  });

  test('who asks for a person is told without a model; a rule speaks after it', async () => {
    const rules = [{ when: 'keyword', keywords: ['lawyer'] }];
    const id = await talk({ rules, hours: closed() }, MODEL);
    expect(await reply(id, 'I want to talk to a human')).toBe('Nobody is here.');
    const other = await talk({ rules, hours: closed() }, MODEL);
    fixture.stub.script({ text: 'I see.' });
    expect(await reply(other, 'I call my lawyer')).toBe('I see.\n\nNobody is here.');
  });
});

test.each<[string, object, string]>([
  ['an unknown zone', { time_zone: 'Europe/Nowhere' }, '/escalation/hours/time_zone'],
  ['a zone that is none', { time_zone: '+02:00' }, '/escalation/hours/time_zone'],
  [
    'an end before its begin',
    { open: [{ days: ['mon'], from: '18:00', to: '02:00' }] },
    '/escalation/hours/open/0/from',
  ],
  [
    'a time that is none',
    { open: [{ days: ['mon'], from: '9:00', to: '17:00' }] },
    '/escalation/hours/open/0/from',
  ],
  [
    'a day that is none',
    { open: [{ days: ['Monday'], from: '09:00', to: '17:00' }] },
    '/escalation/hours/open/0/days/0',
  ],
  ['no time at all', { open: [] }, '/escalation/hours/open'],
  ['a date that is none', { closed_on: ['24.12.2026'] }, '/escalation/hours/closed_on/0'],
])('%s is refused, by the name of its field', async (_what, fields, pointer) => {
  const json = { prompt: 'Help.', escalation: { hours: closed(fields) } };
  const { status, body } = await fixture.call('POST', '/v1/agents', { json });
  expect([status, body.errors?.[0]?.pointer]).toEqual([422, pointer]);
});

test('an unknown zone in a manifest is a condition, and the version before stays live', async () => {
  const { engine } = fixture;
  const of = { kind: 'Agent', name: 'hours' };
  const hours = { timeZone: 'UTC', open: [{ days: ['mon'], from: '09:00', to: '17:00' }] };
  await engine.declareAgent('hours', { prompt: 'Help.', escalation: { hours } });
  await awaitCondition(engine, of, { type: 'Accepted', status: 'True' });
  const wrong = { ...hours, timeZone: 'Europe/Nowhere' };
  await engine.declareAgent('hours', { prompt: 'Other.', escalation: { hours: wrong } });
  const reason = 'InvalidTimeZone';
  await awaitCondition(engine, of, { type: 'Accepted', status: 'False', reason });
  const { body } = await fixture.call('GET', '/v1/agents?name=hours');
  expect(body.data[0]).toMatchObject({ active_version: 1, ready: false });
});
