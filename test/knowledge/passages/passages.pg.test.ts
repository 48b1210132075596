import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  declareSource,
  startConversationFixture,
  type ConversationFixture,
} from '../../conversations/conversation-setup.ts';
import type { Reply } from '../../roles/api/api-setup.ts';

/** The passage of a `chunk_id`, and the passages that an agent gets from a search (contract/knowledge.md#search). */

let fixture: ConversationFixture;
beforeAll(async () => {
  fixture = await startConversationFixture();
});
afterAll(() => fixture?.stop());

const read = (id: string, key = fixture.key): Promise<Reply> =>
  fixture.call('GET', `/v1/knowledge/chunks/${id}`, { key });
const search = async (q: string, more = ''): Promise<Reply['body'][]> =>
  (await fixture.call('GET', `/v1/knowledge/search?q=${encodeURIComponent(q)}${more}`)).body.data;

test('a passage that a reply names is read, until its source is indexed anew', async () => {
  const id = await fixture.start();
  const { body } = await fixture.say(id, 'How long does delivery take?');
  const [{ chunk_id, document_id, source_id }] = body.turns[1].retrieval.chunks;
  const passage = await read(chunk_id);
  expect(passage).toMatchObject({
    status: 200,
    body: {
      id: chunk_id,
      chunk_id,
      document_id,
      source_id,
      heading: 'Delivery',
      text: expect.stringContaining('three working days'),
    },
  });
  const { body: documents } = await fixture.call(
    'GET',
    `/v1/knowledge/sources/${source_id}/documents`,
  );
  const [{ title, path }] = documents.data;
  expect(passage.body).toMatchObject({ document_title: title, path, url: null });
  expect(title.length).toBeGreaterThan(0);
  expect((await read(chunk_id, await fixture.newKey('other'))).status).toBe(404);

  const { body: source } = await fixture.call('POST', '/v1/knowledge/sources', {
    json: { type: 'text', name: 'short-lived', text: 'Tandems weigh twenty kilograms.' },
  });
  const [hit] = await search('tandems weigh');
  expect((await read(hit.chunk_id)).status).toBe(200);
  await fixture.call('PATCH', `/v1/knowledge/sources/${source.id}`, {
    json: { text: 'Tandems weigh thirty kilograms.' },
  });
  const again = await fixture.engine.eventually(async () => {
    const [now] = await search('tandems weigh');
    return now?.chunk_id !== hit.chunk_id && now;
  });
  expect((await read(hit.chunk_id)).body.code).toBe('not_found');
  expect((await read(again.chunk_id)).body.text).toContain('thirty');
  await fixture.call('DELETE', `/v1/knowledge/sources/${source.id}`);
  await fixture.engine.eventually(async () => (await read(again.chunk_id)).status === 404);
});

test('an answer to a gap is a passage of that gap', async () => {
  const agent_id = await fixture.newAgent();
  await fixture.say(await fixture.start({ agent_id }), 'Do you sell unicycles?');
  const { body: gaps } = await fixture.call('GET', `/v1/knowledge/gaps?agent_id=${agent_id}`);
  const gap = gaps.data[0].id;
  await fixture.call('POST', `/v1/knowledge/gaps/${gap}/resolve`, { json: { answer: 'We do.' } });
  const [hit] = await search('Do you sell unicycles?', `&agent_id=${agent_id}`);
  expect((await read(hit.chunk_id)).body).toMatchObject({
    source_id: gap,
    document_id: gap,
    heading: 'Do you sell unicycles?',
    text: 'We do.',
    document_title: null,
    path: null,
    url: null,
  });
});

test('a search for an agent says what a reply to it is given', async () => {
  const paragraphs = Array.from({ length: 20 }, (_, i) => `# Lamp ${i}\n\nThe lamp ${i} is red.`);
  await declareSource(fixture.engine, 'lamps', paragraphs.join('\n\n'));
  const knowledge = { source_names: ['lamps'], top_k: 3, min_score: 0.6 };
  const agent_id = await fixture.newAgent({ knowledge });
  for (const [q, limit] of [
    ['Is the lamp 7 red?', 10],
    ['Is the lamp 7 red?', 50],
    ['Is the lamp 7 red?', 1],
    ['Is the lamp blue as a whale in summer?', 10],
  ] as const) {
    const hits = await search(q, `&agent_id=${agent_id}&limit=${limit}`);
    const given = hits.filter((hit) => hit.given).map((hit) => hit.chunk_id);
    const { body } = await fixture.say(await fixture.start({ agent_id }), q);
    const { chunks, considered = [] } = body.turns[1].retrieval;
    const own = [...chunks, ...considered].filter(({ score }) => score >= 0.6);
    const expected = own.map(({ chunk_id }) => chunk_id).slice(0, limit);
    expect([q, limit, new Set(given)]).toEqual([q, limit, new Set(expected)]);
  }
  const [all] = await search('lamp');
  expect(all.given).toBeNull();
});

test('gaps are found by a part of their question', async () => {
  const agent_id = await fixture.newAgent();
  const id = await fixture.start({ agent_id });
  for (const text of ['Do you repair ZITHERS?', 'Do you tune 100% of pianos?']) {
    await fixture.say(id, text);
  }
  const found = async (q: string): Promise<string[]> => {
    const path = `/v1/knowledge/gaps?agent_id=${agent_id}&q=${encodeURIComponent(q)}`;
    const { status, body } = await fixture.call('GET', path);
    expect(status).toBe(200);
    return body.data.map(({ question }: { question: string }) => question);
  };
  expect(await found('zither')).toEqual(['Do you repair ZITHERS?']);
  expect(await found(' you ')).toHaveLength(2);
  expect(await found('100%')).toEqual(['Do you tune 100% of pianos?']);
  expect(await found('10%of')).toEqual([]);
  const empty = await fixture.call('GET', '/v1/knowledge/gaps?q=%20');
  expect([empty.status, empty.body.code]).toEqual([400, 'invalid_parameter']);
});
