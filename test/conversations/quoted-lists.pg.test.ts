import { beforeAll, describe, expect, test } from 'vitest';
import { fromUuid, newUuid, toUuid } from '../../src/ids.ts';
import { COUNT_MAX } from '../../src/platform/postgres/count-rows.ts';
import { createCall } from '../roles/api/api-setup.ts';
import { shareConversationFixture, type ConversationFixture } from './conversation-setup.ts';

/** What the lists of conversations and escalations quote, their order, and how many items they have. */
let fixture: ConversationFixture;
beforeAll(async () => {
  fixture = await shareConversationFixture();
});

type Listed = { id: string; [field: string]: unknown };

async function list(query: string, path = '/v1/conversations') {
  const { status, body } = await fixture.call('GET', `${path}?${query}`);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body as { data: Listed[]; next_cursor: string | null; total_count?: number | null };
}

async function listed(id: string, query = ''): Promise<Listed> {
  const { data } = await list(query);
  return data.find((one) => one.id === id)!;
}

const idsOf = ({ data }: { data: Listed[] }): string[] => data.map(({ id }) => id);

async function escalate(id: string): Promise<string> {
  return String((await fixture.call('POST', `/v1/conversations/${id}/escalate`)).body.id);
}

const accept = (esc: string, name: string) =>
  fixture.call('POST', `/v1/escalations/${esc}/accept`, {
    json: { accepted_by: { id: 'op', name } },
  });

const sayAsHuman = (esc: string, text: string) =>
  fixture.call('POST', `/v1/escalations/${esc}/messages`, { json: { text } });

describe('the last message of a conversation', () => {
  test('is of the user, the agent or a person, and not a note or empty', async () => {
    const id = await fixture.start();
    expect((await listed(id))['last_message']).toBeNull();
    await fixture.say(id, 'How long does delivery take?');
    expect((await listed(id))['last_message']).toMatchObject({ index: 1, role: 'agent' });
    const esc = await escalate(id);
    await fixture.say(id, 'Anybody there?');
    const asked = { index: 3, role: 'user', text: 'Anybody there?' };
    expect((await listed(id))['last_message']).toEqual(asked);
    await accept(esc, 'Kim'); // Adds a note that Kim has joined.
    expect((await listed(id))['last_message']).toEqual(asked);
    await sayAsHuman(esc, 'Kim here');
    expect((await listed(id))['last_message']).toMatchObject({ role: 'human', text: 'Kim here' });
    await fixture.engine.pool.query(
      `insert into turns (conversation_id, index, role, text, started_at_ms, ended_at_ms)
       values ($1, 100, 'agent', '', 0, 0)`,
      [toUuid('conv', id)],
    );
    expect((await listed(id))['last_message']).toMatchObject({ role: 'human' });
  });

  test('is cut to 280 characters', async () => {
    const id = await fixture.start();
    await escalate(id);
    for (const length of [280, 281]) {
      await fixture.say(id, 'x'.repeat(length));
      const { text } = (await listed(id))['last_message'] as { text: string };
      expect([length, text]).toEqual([
        length,
        length === 280 ? 'x'.repeat(280) : `${'x'.repeat(279)}…`,
      ]);
    }
  });

  test('goes with the words of an erased conversation, which is in no list', async () => {
    const id = await fixture.start();
    await fixture.say(id, 'Hello');
    await fixture.call('DELETE', `/v1/conversations/${id}`);
    expect(await listed(id)).toBeUndefined();
  });
});

describe('the match of a search', () => {
  const match = async (id: string, q: string) =>
    (await listed(id, `q=${encodeURIComponent(q)}`))['match'];

  test('is the sentence of the turn that has most of the words, else of the summary', async () => {
    const id = await fixture.start({ user_id: 'toucan@example.com' });
    const esc = await escalate(id);
    await fixture.say(id, 'I have an ibex. It eats.');
    await fixture.say(id, 'Hello. The Ibex and my gecko fight. Help!');
    await fixture.say(id, 'The ibex fights my gecko still.');
    expect(await match(id, 'ibex')).toEqual({ index: 1, role: 'user', text: 'I have an ibex.' });
    // Two turns have both words. The first one counts.
    const both = { index: 2, role: 'user', text: 'The Ibex and my gecko fight.' };
    expect(await match(id, 'GECKO ibex')).toEqual(both);
    expect(await match(id, 'toucan')).toBeNull();
    expect(await match(id, 'toucan gecko')).toEqual(both);
    await accept(esc, 'Pelican');
    await fixture.end(id);
    expect(await match(id, 'pelican took')).toEqual({
      index: null,
      role: null,
      text: expect.stringMatching(/^Pelican took over after \d+ seconds?\.$/),
    });
  });

  test('is null in a list without words', async () => {
    const id = await fixture.start();
    await fixture.say(id, 'An ocelot');
    expect((await listed(id))['match']).toBeNull();
    expect((await listed(id, `q=${id}`))['match']).toBeNull();
  });
});

describe.each([
  ['conversations', 'conv'],
  ['escalations', 'esc'],
] as const)('the list of %s', (name, prefix) => {
  const path = `/v1/${name}`;
  let agent: string;
  let ids: string[];
  beforeAll(async () => {
    agent = await fixture.newAgent();
    ids = [];
    for (let n = 0; n < 5; n += 1) {
      const id = await fixture.start({ agent_id: agent, metadata: { set: agent } });
      await fixture.say(id, 'A dodo');
      ids.push(prefix === 'conv' ? id : await escalate(id));
    }
  });

  test('comes oldest first too, in pages', async () => {
    for (const [order, expected] of [
      ['newest', ids.toReversed()],
      ['oldest', ids],
    ] as const) {
      for (const filter of prefix === 'conv'
        ? [`agent_id=${agent}`, `agent_id=${agent}&q=dodo`, `metadata.set=${agent}`]
        : [`agent_id=${agent}`]) {
        const seen = [];
        let cursor = '';
        do {
          const page = await list(`${filter}&limit=2&order=${order}${cursor}`, path);
          seen.push(...idsOf(page));
          cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
        } while (cursor !== '');
        expect([filter, seen]).toEqual([filter, expected]);
      }
    }
    const { status, body } = await fixture.call('GET', `${path}?order=longest`);
    expect([status, body.code]).toEqual([400, 'invalid_parameter']);
  });

  test('counts all pages on request, by its filters and namespace', async () => {
    const of = `agent_id=${agent}`;
    const first = await list(`${of}&limit=2&total=true`, path);
    expect([idsOf(first).length, first.total_count]).toEqual([2, 5]);
    const next = await list(`${of}&limit=2&total=true&cursor=${first.next_cursor}`, path);
    expect(next.total_count).toBe(5);
    expect((await list(of, path)).total_count).toBeUndefined();
    expect((await list(`${of}&total=false`, path)).total_count).toBeUndefined();
    const none = prefix === 'esc' ? 'status=accepted' : 'status=failed';
    expect((await list(`${of}&${none}&total=true`, path)).total_count).toBe(0);
    const other = createCall(fixture.url, await fixture.newKey('counting'));
    expect((await other('GET', `${path}?${of}&total=true`)).body.total_count).toBe(0);
  });
});

test('a count of more than 10,000 is 10,000', async () => {
  const agent = newUuid();
  const { rows } = await fixture.engine.pool.query<{ namespace: string }>(
    'select namespace from agents where id = $1',
    [toUuid('agt', fixture.agentId)],
  );
  await fixture.engine.pool.query(
    `insert into conversations (id, namespace, agent_id, agent_version, channel, status,
                                max_duration_sec, silence_timeout_sec)
     select parley_uuid_v7(), $2, $1, 1, 'chat', 'ended', 60, 60 from generate_series(1, $3)`,
    [agent, rows[0]!.namespace, COUNT_MAX + 1],
  );
  const query = `agent_id=${fromUuid('agt', agent)}&limit=1&total=true`;
  expect((await list(query)).total_count).toBe(COUNT_MAX);
});

test('a search by words has no count, one by an id has', async () => {
  const id = await fixture.start();
  await fixture.say(id, 'An emu');
  expect((await list('q=emu&total=true')).total_count).toBeNull();
  expect((await list(`q=${id}&total=true`)).total_count).toBe(1);
});

test('a list in lines has no count', async () => {
  const headers = { accept: 'application/x-ndjson' };
  const { status, body } = await fixture.call('GET', '/v1/conversations?total=true', { headers });
  expect([status, body.detail]).toEqual([400, expect.stringContaining('`total` must be omitted')]);
});

describe('an escalation', () => {
  const read = async (id: string) => (await fixture.call('GET', `/v1/escalations/${id}`)).body;

  test('quotes the last two messages of the user before the request', async () => {
    const id = await fixture.start({ user_id: 'tom.baker' });
    await fixture.say(id, 'Hello');
    await fixture.say(id, 'My line is dead');
    await fixture.say(id, `Help! ${'x'.repeat(300)}`);
    const esc = await escalate(id);
    await fixture.say(id, 'Is anybody there?');
    const quoted = {
      user_id: 'tom.baker',
      user_messages: ['My line is dead', `Help! ${'x'.repeat(273)}…`],
    };
    expect(await read(esc)).toMatchObject(quoted);
    expect((await list(`conversation_id=${id}`, '/v1/escalations')).data).toMatchObject([quoted]);
    expect((await accept(esc, 'Kim')).body).toMatchObject(quoted);
  });

  test('quotes nothing without a message or a user, and nothing that was erased', async () => {
    const silent = await escalate(await fixture.start());
    expect(await read(silent)).toMatchObject({ user_id: null, user_messages: [] });
    const id = await fixture.start({ user_id: 'ann' });
    await fixture.say(id, 'My secret');
    const esc = await escalate(id);
    expect(await read(esc)).toMatchObject({ user_id: 'ann', user_messages: ['My secret'] });
    await fixture.call('DELETE', `/v1/conversations/${id}`);
    expect(await read(esc)).toMatchObject({ user_id: null, user_messages: [] });
  });

  test('of an earlier release quotes no message', async () => {
    const id = await fixture.start({ user_id: 'eve' });
    await fixture.say(id, 'Hello');
    const esc = await escalate(id);
    await fixture.engine.pool.query('update escalations set turns_before = null where id = $1', [
      toUuid('esc', esc),
    ]);
    expect(await read(esc)).toMatchObject({ user_id: 'eve', user_messages: [] });
  });
});

test('what a person says has their name: in the answer, the transcript and its text forms', async () => {
  const id = await fixture.start();
  await fixture.say(id, 'Hello');
  const esc = await escalate(id);
  await accept(esc, 'Kim <K>');
  const { body } = await sayAsHuman(esc, 'Kim here');
  expect(body.turns).toMatchObject([{ role: 'human', name: 'Kim <K>', text: 'Kim here' }]);
  const turns = await fixture.turns(id);
  expect(turns.filter((turn) => 'name' in turn)).toEqual(body.turns);
  const formatted = async (format: string): Promise<string> =>
    (await fixture.call('GET', `/v1/conversations/${id}/transcript?format=${format}`)).text;
  expect(await formatted('text')).toContain('] Kim <K> (human): Kim here\n');
  expect(await formatted('vtt')).toContain('<v Kim &lt;K&gt; (human)>Kim here\n');
});
