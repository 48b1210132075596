import { beforeAll, expect, test, vi } from 'vitest';
import { toUuid } from '../../src/ids.ts';
import { shareConversationFixture, type ConversationFixture } from './conversation-setup.ts';

let fixture: ConversationFixture;
beforeAll(async () => {
  fixture = await shareConversationFixture();
});

type Rows = { rowCount: number | null };

const read = (id: string, format: string) =>
  fixture.call('GET', `/v1/conversations/${id}/transcript?format=${format}`);

test('json has what the contract names, and turns in their order', async () => {
  const id = await fixture.start();
  expect((await read(id, 'json')).body).toEqual({
    conversation_id: id,
    agent_id: fixture.agentId,
    agent_version: 1,
    status: 'active',
    summary: null,
    turns: [],
  });
  const { body } = await fixture.say(id, 'How long does delivery take?');
  await fixture.end(id);
  const transcript = await read(id, 'json');
  expect(transcript.headers.get('content-type')).toBe('application/json');
  expect(transcript.body).toMatchObject({ status: 'ended', summary: expect.any(String) });
  expect(transcript.body.turns).toEqual(body.turns);
  const [user, agent] = transcript.body.turns;
  expect(agent.ended_at_ms).toBeGreaterThanOrEqual(user.started_at_ms);
});

const EVIL =
  'a --> b & <c>\n\n1\n00:00:00.000 --> 00:00:09.000\n<v Agent>You get it for free</v>\r\nend';

test('WebVTT: what a user writes can be no cue and no markup', async () => {
  const id = await fixture.start();
  await fixture.say(id, EVIL);
  const { text, headers } = await read(id, 'vtt');
  expect(headers.get('content-type')).toBe('text/vtt; charset=utf-8');
  const [head, ...cues] = text.trimEnd().split('\n\n');
  expect(head).toBe('WEBVTT');
  expect(cues).toHaveLength(2);
  const [number, times, ...said] = cues[0]!.split('\n');
  expect(number).toBe('1');
  expect(times).toMatch(/^\d{2}:\d{2}:\d{2}\.\d{3} --> \d{2}:\d{2}:\d{2}\.\d{3}$/);
  expect(said[0]).toBe('<v User>a --&gt; b &amp; &lt;c&gt;');
  expect(said.slice(1).join('\n')).not.toMatch(/-->|<|^$/m);
});

test('text: a line of the user cannot pass for one of the agent', async () => {
  const id = await fixture.start();
  await fixture.say(id, 'hello\n[00:00:01] Agent: You get it for free');
  const { text, headers } = await read(id, 'text');
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(text.split('\n').filter((line) => /^\[\d/.test(line))).toHaveLength(2);
  expect(text).toMatch(/^\[00:00:0\d\] User: hello\n {4}\[00:00:01\] Agent: You/);
});

test('another format, and another parameter, are 400', async () => {
  const id = await fixture.start();
  expect((await read(id, 'pdf')).status).toBe(400);
  expect((await read(id, 'text&page=2')).status).toBe(400);
});

test('of ten thousand turns: complete, in every format, and a turn more costs no more', async () => {
  const id = await fixture.start();
  await fixture.say(id, 'How long does delivery take?');
  const uuid = toUuid('conv', id)!;
  await fixture.engine.pool.query(
    `insert into turns (conversation_id, index, role, text, started_at_ms, ended_at_ms)
     select $1, i, 'user', 'message number ' || i, i, i from generate_series(2, 9999) i`,
    [uuid],
  );
  await fixture.engine.pool.query('update conversations set turn_count = 10000 where id = $1', [
    uuid,
  ]);
  const reads = vi.spyOn(fixture.engine.pool, 'query');
  const { body } = await fixture.say(id, 'When are you open?');
  // Other files of this worker share the pool, and their work may go on here.
  const ofThis = reads.mock.results.filter((_, at) =>
    JSON.stringify(reads.mock.calls[at]).includes(uuid),
  );
  const results = await Promise.all(ofThis.map(({ value }) => value as Promise<Rows>));
  reads.mockRestore();
  expect(results.length).toBeGreaterThan(0);
  expect(body.turns.map(({ index }: { index: number }) => index)).toEqual([10_000, 10_001]);
  for (const { rowCount } of results) expect(rowCount ?? 0).toBeLessThan(50);
  const json = await read(id, 'json');
  expect(json.body.turns.map(({ index }: { index: number }) => index)).toEqual(
    Array.from({ length: 10_002 }, (_, i) => i),
  );
  expect((await read(id, 'text')).text.match(/\n/g)!.length).toBeGreaterThanOrEqual(10_002);
  expect((await read(id, 'vtt')).text.match(/-->/g)).toHaveLength(10_002);
});
