import { afterAll, beforeAll, expect, test } from 'vitest';
import { toUuid } from '../../src/ids.ts';
import { createCall } from '../roles/api/api-setup.ts';
import { startConversationFixture, type ConversationFixture } from './conversation-setup.ts';

/** `GET /v1/conversations?q=` (contract/conversations.md#lists): by an id, or by words that somebody remembers. */
let fixture: ConversationFixture;
beforeAll(async () => {
  fixture = await startConversationFixture();
});
afterAll(() => fixture?.stop());

type Page = { data: { id: string }[]; has_more: boolean; next_cursor: string | null };

async function page(q: string, more = ''): Promise<Page> {
  const path = `/v1/conversations?q=${encodeURIComponent(q)}${more}`;
  const { status, body } = await fixture.call('GET', path);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
}
const idsOf = ({ data }: Page): string[] => data.map(({ id }) => id);
const found = async (q: string, more = ''): Promise<string[]> => idsOf(await page(q, more));

/** All pages, and how many there were. */
async function allOf(q: string, more: string): Promise<{ ids: string[]; pages: number }> {
  const ids = [];
  for (let pages = 1, cursor = ''; ; pages += 1) {
    const { data, has_more, next_cursor } = await page(q, more + cursor);
    ids.push(...data.map(({ id }) => id));
    expect(has_more).toBe(next_cursor !== null);
    if (next_cursor === null) return { ids, pages };
    cursor = `&cursor=${next_cursor}`;
  }
}

test('every word is somewhere in what was said, in any case; the newest first', async () => {
  const one = await fixture.start();
  await fixture.say(one, 'My ZEBRA wants to know how long delivery takes');
  await fixture.say(one, 'It is called Ümläut');
  const two = await fixture.start();
  await fixture.say(two, 'A zebra, too');
  expect(await found('zebra')).toEqual([two, one]);
  expect(await found('  Zebra   DELIV ')).toEqual([one]);
  expect(await found('ümLÄUT zebra')).toEqual([one]);
  expect(await found('zebra giraffe')).toEqual([]);
  await fixture.say(one, 'How long does delivery take?');
  expect(await found('zebra islands')).toEqual([one]); // What the agent said.
});

test('what people said, the summary and the user are looked through; tools and notes are not', async () => {
  const id = await fixture.start({ user_id: 'walrus-17@example.com', metadata: { a: 'otter' } });
  expect(await found('WALRUS-17@')).toEqual([id]);
  expect(await found('otter')).toEqual([]);
  await fixture.say(id, 'How long does delivery take?');
  const { body } = await fixture.call('POST', `/v1/conversations/${id}/escalate`);
  await fixture.call('POST', `/v1/escalations/${body.id}/accept`, {
    json: { accepted_by: { id: 'op', name: 'Pelican' } },
  });
  await fixture.call('POST', `/v1/escalations/${body.id}/messages`, {
    json: { text: 'A heron speaks.' },
  });
  expect(await found('heron')).toEqual([id]);
  expect(await found('pelican joined')).toEqual([]); // Nobody said that.
  await fixture.end(id);
  expect(await found('pelican took over')).toEqual([id]); // The summary says so.
});

test('a character of patterns is that character', async () => {
  const id = await fixture.start();
  await fixture.say(id, String.raw`I paid 100% of C:\new_file`);
  expect(await found('100%')).toEqual([id]);
  expect(await found(String.raw`c:\new_f`)).toEqual([id]);
  expect(await found('10%of')).toEqual([]);
  expect(await found('new-file')).toEqual([]);
  expect(await found('1__%')).toEqual([]);
});

test('an id of a conversation, a call or an escalation finds what is about it', async () => {
  const id = await fixture.start();
  expect(await found(id)).toEqual([id]);
  expect(await found(` ${id} `, '&status=ended')).toEqual([]);
  const { body } = await fixture.call('POST', `/v1/conversations/${id}/escalate`);
  expect(await found(body.id)).toEqual([id]);
  const json = { agent_id: fixture.agentId, to: '+442071838750', simulated: { turns: [] } };
  const { body: call } = await fixture.call('POST', '/v1/calls', { json });
  const answered = await fixture.engine.eventually(
    async () => (await fixture.call('GET', `/v1/calls/${call.id}`)).body.conversation_id ?? false,
  );
  expect(await found(call.id)).toEqual([answered]);
  const other = createCall(fixture.url, await fixture.newKey('other'));
  for (const q of [id, body.id, call.id]) {
    expect((await other('GET', `/v1/conversations?q=${q}`)).body.data).toEqual([]);
  }
});

test('with the other filters; tests and other namespaces are left out as ever', async () => {
  const id = await fixture.start({ metadata: { set: 'kept' } });
  const tried = await fixture.start({ test: true });
  for (const one of [id, tried]) await fixture.say(one, 'A capybara');
  expect(await found('capybara')).toEqual([id]);
  expect(await found('capybara', '&test=true')).toEqual([tried, id]);
  expect(await found('capybara', '&metadata.set=kept&status=active')).toEqual([id]);
  expect(await found('capybara', '&metadata.set=other')).toEqual([]);
  expect(await found(tried)).toEqual([]);
  const other = createCall(fixture.url, await fixture.newKey('elsewhere'));
  expect((await other('GET', '/v1/conversations?q=capybara')).body.data).toEqual([]);
});

test('what was erased is not found by its words', async () => {
  const id = await fixture.start({ user_id: 'lemur' });
  await fixture.say(id, 'An aardvark');
  expect([await found('aardvark'), await found('lemur')]).toEqual([[id], [id]]);
  await fixture.call('DELETE', `/v1/conversations/${id}`);
  for (const q of ['aardvark', 'lemur', id]) expect([q, await found(q)]).toEqual([q, []]);
});

test('all in lines, with the words', async () => {
  const ids = [];
  for (const text of ['A quokka', 'Nothing', 'Two quokkas']) {
    const id = await fixture.start();
    await fixture.say(id, text);
    if (text !== 'Nothing') ids.push(id);
  }
  const headers = { accept: 'application/x-ndjson' };
  const { text } = await fixture.call('GET', '/v1/conversations?q=quokka', { headers });
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ id }) => id)).toEqual(ids.toReversed());
  expect(lines[0].transcript.turns[0].text).toBe('Two quokkas');
});

test.each(['', '%20%20', 'x'.repeat(201), 'a%00b'])('q=%s is 400', async (q) => {
  const { status, body } = await fixture.call('GET', `/v1/conversations?q=${q}`);
  expect([status, body.code]).toEqual([400, 'invalid_parameter']);
});

test('a page ends after 5,000 and says how to go on; pages together find each once', async () => {
  const agent = await fixture.newAgent();
  const about = [toUuid('agt', agent), 'A narwhal'];
  const { rows } = await fixture.engine.pool.query<{ id: string }>(
    `with made as (
       insert into conversations (id, namespace, agent_id, agent_version, channel, status, turn_count,
                                  max_duration_sec, silence_timeout_sec)
       select parley_uuid_v7(), 'default', $1, 1, 'chat', 'ended', 1, 60, 60
         from generate_series(1, 6001) returning id
     ), numbered as (select id, row_number() over (order by id desc) as n from made
     ), said as (
       insert into turns (conversation_id, index, role, text, started_at_ms, ended_at_ms)
       select id, 0, 'user', case when n % 3000 = 1 then $2 else 'A message' end, 0, 0 from numbered
     ) select id from numbered where n % 3000 = 1 order by n`,
    about,
  );
  const of = `&agent_id=${agent}`;
  const none = await allOf('kraken', of);
  expect(none.ids).toEqual([]);
  expect(none.pages).toBeGreaterThanOrEqual(2);
  const first = await page('kraken', of);
  expect(first).toMatchObject({ data: [], has_more: true });
  for (const limit of [1, 2, 100]) {
    const { ids } = await allOf('narwhal', `${of}&limit=${limit}`);
    expect(ids.map((id) => toUuid('conv', id))).toEqual(rows.map(({ id }) => id));
  }
});

test('of long ones it looks at fewer at once', async () => {
  const agent = await fixture.newAgent();
  await fixture.engine.pool.query(
    `with made as (
       insert into conversations (id, namespace, agent_id, agent_version, channel, status, turn_count,
                                  max_duration_sec, silence_timeout_sec)
       select parley_uuid_v7(), 'default', $1, 1, 'chat', 'ended', 3000, 60, 60
         from generate_series(1, 4) returning id)
     insert into turns (conversation_id, index, role, text, started_at_ms, ended_at_ms)
     select id, 2999, 'user', 'An okapi', 0, 0 from made`,
    [toUuid('agt', agent)],
  );
  const { ids } = await allOf('okapi', `&agent_id=${agent}&limit=3`);
  expect(new Set(ids).size).toBe(4);
});
