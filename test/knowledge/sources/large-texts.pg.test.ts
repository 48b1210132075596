import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PASSAGES_MAX } from '../../../src/knowledge/passages/cut-passages.ts';
import { toUuid } from '../../../src/ids.ts';
import { awaitCondition } from '../../agents/agents.ts';
import { startApi, type Api, type Reply } from '../../roles/api/api-setup.ts';

/**
 * The largest texts. What they do to everybody else is measured by `npm run bench -- upload`; that they are cut in
 * another thread is tested in passages/text-cutter.test.ts.
 */

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api?.stop());

const SOURCES = '/v1/knowledge/sources';
const MIB = 1024 * 1024;
const isNightly = process.env['PARLEY_NIGHTLY'] !== undefined;
/** The nightly lane takes as much as may be uploaded. */
const LARGE = isNightly ? 20 * MIB : MIB / 4;
const RSS_GROWTH_MAX = 700 * MIB;

const filled = (unit: string, bytes = LARGE): Buffer =>
  Buffer.from(unit.repeat(Math.floor(bytes / Buffer.byteLength(unit))));

async function newFile(): Promise<string> {
  const { body } = await api.call('POST', SOURCES, { json: { type: 'file' } });
  return `${SOURCES}/${body.id}`;
}

async function upload(source: string, body: Buffer): Promise<Reply> {
  return api.call('PUT', `${source}/content`, {
    body,
    headers: { 'content-type': 'text/markdown' },
  });
}

describe('an upload', () => {
  const tooLarge: [what: string, make: () => Buffer, bound: string][] = [
    ['19 MB of small headings', () => filled('# a\n', 19 * MIB), `${PASSAGES_MAX} passages`],
    ['letters that stand for eighteen', () => filled(`${'\uFDFA'.repeat(133)}\n\n`), '100 MB'],
  ];
  test.each([
    ...(isNightly ? tooLarge : []),
    [
      'more headings than there may be',
      () => filled('# a\n', 4 * 60_000),
      `${PASSAGES_MAX} passages`,
    ],
  ] satisfies typeof tooLarge)(
    'of %s is refused with the bound, and what was there is found',
    async (_, make, bound) => {
      const source = await newFile();
      await upload(source, Buffer.from('We open at nine.'));
      const body = make();
      const before = process.memoryUsage().rss;
      const result = await upload(source, body);
      expect(result).toMatchObject({ status: 422, body: { code: 'invalid_body' } });
      expect(result.body.errors[0].detail).toContain(bound);
      expect(process.memoryUsage().rss - before).toBeLessThan(RSS_GROWTH_MAX);
      expect((await api.call('GET', source)).body).toMatchObject({ chunks: 1, ready: true });
      const found = await api.call('GET', '/v1/knowledge/search?q=open');
      expect(found.body.data[0].text).toBe('We open at nine.');
    },
  );

  const mostHeadings: [what: string, make: () => Buffer, passages: number] = [
    'as many headings as there may be',
    () => filled('# a\n', 4 * PASSAGES_MAX),
    PASSAGES_MAX,
  ];
  test.each([
    ['one line', () => filled('word and another '), 1],
    ['line ends', () => filled('\n'), 0],
    ['headings of spaces, which an expression could read for hours', spaces, 1],
    ...(isNightly ? [mostHeadings] : []),
  ])(
    'of %s is taken',
    async (_, make, passages) => {
      const source = await newFile();
      const body = make();
      const result = await upload(source, body);
      expect(result).toMatchObject({ status: 202, body: { ready: true, documents: 1 } });
      expect(result.body.chunks).toBeGreaterThanOrEqual(passages);
      await api.call('DELETE', source);
    },
    120_000,
  );

  test('that is not UTF-8 at its very end is refused', async () => {
    const body = Buffer.concat([filled('word '), Buffer.from([0xff])]).subarray(8);
    const refused = await upload(await newFile(), body);
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ code: 'invalid_format' }] } });
  });

  test('is indexed again from what was stored, byte for byte, a shorter one after it too', async () => {
    const source = await newFile();
    const path = `${source}/content?file_name=${encodeURIComponent('Öffnung.md')}`;
    const headers = { 'content-type': 'text/markdown' };
    const begin = '\uFEFF# Hours\r\n\r\nWe öpen at nine 😀.\r\n';
    // Stored in pieces of 256 KiB: in several, in two that are full, in one.
    for (const bytes of [700_001, 2 * 256 * 1024, 50_000]) {
      // Lines of different lengths, of which no passage is made.
      const rest = Array.from({ length: bytes / 16 }, (_, at) => `${' '.repeat(at % 97)}\n`).join(
        '',
      );
      const body = Buffer.from(`${begin}${rest}`).subarray(0, bytes);
      expect(await api.call('PUT', path, { body, headers })).toMatchObject({ status: 202 });
      const synced = await api.call('POST', `${source}/sync`);
      expect(synced).toMatchObject({ status: 202, body: { last_sync: { added: 0, updated: 0 } } });
      const { body: documents } = await api.call('GET', `${source}/documents`);
      expect(documents.data).toMatchObject([
        { path: 'Öffnung.md', title: 'Hours', bytes: body.length, chunks: synced.body.chunks },
      ]);
    }
  });

  test('that the last release stored whole is indexed again, and replaced by one in pieces', async () => {
    const source = await newFile();
    const pool = api.engine.pool;
    const sourceId = toUuid('ks', source.slice(SOURCES.length + 1));
    const whole = Buffer.from('We open at noon.');
    const inPieces = Buffer.alloc(300_000, 'We open at ten. ');
    expect(await upload(source, inPieces)).toMatchObject({ status: 202 });
    // As it writes during a rollout, over what a process of this release has written.
    await pool.query('update knowledge_uploads set content = $2 where source_id = $1', [
      sourceId,
      whole,
    ]);
    const sync = () => api.call('POST', `${source}/sync`);
    const found = async () => (await api.call('GET', '/v1/knowledge/search?q=open')).body.data;
    expect((await sync()).body).toMatchObject({ last_sync: { updated: 1 } });
    expect(await found()).toContainEqual(expect.objectContaining({ text: 'We open at noon.' }));
    expect(await upload(source, Buffer.from('We open at eleven.'))).toMatchObject({ status: 202 });
    expect((await sync()).body).toMatchObject({ last_sync: { updated: 0 } });
    expect(await found()).toContainEqual(expect.objectContaining({ text: 'We open at eleven.' }));
  });

  test('too many at once to be indexed again are told to come again, the others are', async () => {
    const source = await newFile();
    expect(await upload(source, filled('word and another ', MIB / 4))).toMatchObject({
      status: 202,
    });
    const sync = () => api.call('POST', `${source}/sync`);
    const replies = await Promise.all(Array.from({ length: 30 }, sync));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([202, 503]));
    const busy = replies.find(({ status }) => status === 503)!;
    expect(busy.body).toMatchObject({ code: 'unavailable' });
    expect(busy.headers.get('retry-after')).toBe('5');
    expect(await sync()).toMatchObject({ status: 202 });
  }, 60_000);
});

describe('a declared text', () => {
  const declare = (name: string, text: string) =>
    api.engine.store.apply(
      { kind: 'KnowledgeSource', namespace: 'default', name, spec: { type: 'text', text } },
      { fieldManager: 'kubectl' },
    );
  const condition = (name: string, expected: object) =>
    awaitCondition(api.engine, { kind: 'KnowledgeSource', name }, { type: 'Ready', ...expected });

  test('of too many headings says so in its condition, and its last text is found', async () => {
    await declare('many', 'We sell tandems.');
    await condition('many', { status: 'True' });
    await declare('many', '# a\n'.repeat(PASSAGES_MAX + 1));
    await condition('many', { status: 'False', reason: 'TooManyPassages' });
    const { status } = await api.engine.settled('KnowledgeSource', 'many');
    const { conditions } = status as { conditions: { type: string; message: string }[] };
    const accepted = conditions.find(({ type }) => type === 'Accepted');
    expect(accepted).toMatchObject({ status: 'False', reason: 'TooManyPassages' });
    expect(accepted?.message).toContain(`${PASSAGES_MAX} passages`);
    const { body } = await api.call('GET', `${SOURCES}?name=many`);
    expect(body.data).toMatchObject([{ ready: false, chunks: 1, status: 'ready' }]);
    expect(body.data[0].status_message).toContain(`${PASSAGES_MAX} passages`);
    const found = await api.call('GET', '/v1/knowledge/search?q=tandems');
    expect(found.body.data[0].text).toBe('We sell tandems.');
    await declare('many', 'We sell bicycles.');
    await condition('many', { status: 'True' });
  });

  test('of too many headings is refused by REST with the bound, and nothing is declared', async () => {
    const text = '# a\n'.repeat(PASSAGES_MAX + 1);
    const refused = [
      await api.call('POST', SOURCES, { json: { type: 'text', name: 'posted', text } }),
    ];
    const good = { type: 'text', name: 'kept', text: 'We rent unicycles.' };
    const { body } = await api.call('POST', SOURCES, { json: good });
    refused.push(await api.call('PATCH', `${SOURCES}/${body.id}`, { json: { text } }));
    for (const reply of refused) {
      expect(reply.status).toBe(422);
      expect(reply.body.errors).toMatchObject([{ pointer: '/text', code: 'too_many' }]);
      expect(reply.body.detail).toContain(`${PASSAGES_MAX} passages`);
    }
    expect((await api.call('GET', `${SOURCES}?name=posted`)).body.data).toEqual([]);
    const found = await api.call('GET', '/v1/knowledge/search?q=unicycles');
    expect(found.body.data[0].text).toBe('We rent unicycles.');
  });
});

function spaces(): Buffer {
  return filled(`# ${' '.repeat(700)}${'x'.repeat(250)}\n`);
}
