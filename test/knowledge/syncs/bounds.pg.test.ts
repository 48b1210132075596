import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/config.ts';
import { PASSAGES_MAX, WORDS_MAX } from '../../../src/knowledge/passages/cut-passages.ts';
import type { Fetched, Fetcher } from '../../../src/knowledge/sources/fetching.ts';
import { DOCUMENT_BYTES_MAX, DOCUMENTS_MAX } from '../../../src/knowledge/syncs/sync-refused.ts';
import { startApi, type Api, type Call, PATIENT_MS } from '../../roles/api/api-setup.ts';
import { until } from '../../until.ts';
import { newNamespace } from '../own-namespace.ts';
import { OFTEN } from './site.ts';
import { countStaged } from './sources.ts';

/** A source that holds more than it may: the sync fails with the bound, and what was indexed is found. */

const SOURCES = '/v1/knowledge/sources';
const QUOTA = 300_000;
const isNightly = process.env['PARLEY_NIGHTLY'] !== undefined;
/** The promised bound takes a minute to index, so the normal lane lowers it. */
const WORDS = isNightly ? WORDS_MAX : 3_000;
let api: Api;
let call: Call;
let told: () => Iterable<Fetched>;
beforeAll(async () => {
  // An API of its own, because its operator has other bounds and reads what the tests say.
  api = await startApi({ operator: false, projectionWaitMs: PATIENT_MS });
  const website: Fetcher = async function* tell() {
    yield* told();
    return { unseen: 'remove', cursor: null };
  };
  const quotas = { ...DEFAULT_LIMITS.quotas, knowledge_bytes: QUOTA };
  const operator = {
    fetchers: { website },
    syncTimes: OFTEN,
    limits: { ...DEFAULT_LIMITS, quotas },
    wordsMax: WORDS,
  };
  await api.engine.startOperator(operator);
});
afterAll(() => api?.stop());
beforeEach(async () => {
  ({ call } = await newNamespace(api));
});

const document = (path: string, text: string): Fetched => ({
  kind: 'document',
  path,
  title: path,
  text,
  url: null,
  language: null,
  validators: { etag: null, lastModified: null },
});
const OLD = [document('a', 'Apples are red.')];
const CHANGED = document('a', 'Apples are green.');

async function create(): Promise<string> {
  told = () => OLD;
  const json = { type: 'website', website: { url: 'http://127.0.0.1:9/' } };
  const { body } = await call('POST', SOURCES, { json });
  expect(await settled(body.id)).toMatchObject({ status: 'ready', documents: 1 });
  return body.id;
}

/** A sync may index megabytes before it is refused. */
async function settled(id: string) {
  for (let looks = 0; ; looks += 1) {
    try {
      return await api.engine.eventually(async () => {
        const { body } = await call('GET', `${SOURCES}/${id}`);
        return body.sync === null && body;
      });
    } catch (error) {
      if (looks === 10) throw error;
    }
  }
}

async function sync(id: string) {
  expect((await call('POST', `${SOURCES}/${id}/sync`)).status).toBe(202);
  const source = await settled(id);
  const { body } = await call('GET', `${SOURCES}/${id}/syncs`);
  return { source, sync: body.data[0] };
}

async function find(q: string): Promise<string[]> {
  const { body } = await call('GET', `/v1/knowledge/search?q=${q}`);
  return body.data.map(({ text }: { text: string }) => text);
}

const word = (number: number): string =>
  String(number).replaceAll(/\d/g, (digit) => 'bcdfghjklm'[Number(digit)]!);
const words = (from: number, many: number): string =>
  Array.from(
    { length: many },
    (_, at) => `${word(from + at)}${at % 20 === 19 ? '.\n\n' : ''}`,
  ).join(' ');
const sections = (many: number): string => '# Part\n\nText.\n\n'.repeat(many);

test.each<[reason: string, bound: number, told: () => Iterable<Fetched>]>([
  [
    'TooManyDocuments',
    DOCUMENTS_MAX,
    function* many() {
      yield CHANGED;
      for (let at = 0; at < DOCUMENTS_MAX; at += 1) {
        yield { kind: 'skipped', path: `p${at}`, reason: 'it is not wanted' };
      }
    },
  ],
  [
    'TooManyPassages',
    PASSAGES_MAX,
    function* large() {
      yield CHANGED;
      for (const path of ['b', 'c']) yield document(path, sections(PASSAGES_MAX / 2));
    },
  ],
  [
    'TooManyWords',
    WORDS,
    function* wordy() {
      yield CHANGED;
      for (const [at, path] of ['b', 'c'].entries()) {
        yield document(path, words(1_000_000 + at * WORDS, WORDS / 2 + 100));
      }
    },
  ],
  [
    'QuotaExceeded',
    QUOTA,
    function* heavy() {
      yield CHANGED;
      const text = `${'Nothing but the same again. '.repeat(30)}\n\n`;
      for (const path of ['b', 'c']) {
        yield document(path, `# ${path}\n\n${text.repeat((QUOTA * 0.6) / text.length)}`);
      }
    },
  ],
])(
  '%s: it fails with the bound, the old index serves, nothing is left of it',
  async (reason, bound, more) => {
    const id = await create();
    told = more;
    const { source, sync: failed } = await sync(id);
    expect(failed).toMatchObject({ status: 'failed', reason, result: null });
    expect(failed.error).toContain(String(bound));
    expect(source).toMatchObject({ status: 'error', ready: true, documents: 1, chunks: 1 });
    expect(source.status_message).toContain(failed.error);
    expect(await find('apples')).toEqual(['Apples are red.']);
    const { body: all } = await call('GET', `${SOURCES}/${id}/documents`);
    expect(all.data).toMatchObject([{ path: 'a' }]);
    // After the end is told, which is not to wait for that.
    await until('nothing to be staged', async () => (await countStaged(api.engine.pool)) === 0);
    const { body: events } = await call('GET', '/v1/events?type=knowledge.source.synced');
    expect(events.data[0].data).toMatchObject({ status: 'error', documents: 1, added: 0 });
    told = () => [CHANGED];
    expect((await sync(id)).source).toMatchObject({ status: 'ready', last_sync: { updated: 1 } });
    expect(await find('apples')).toEqual(['Apples are green.']);
  },
  180_000,
);

test('one document that is too much fails by itself, with its bound, and all others are read', async () => {
  const id = await create();
  told = function* one() {
    yield document('large', 'a'.repeat(DOCUMENT_BYTES_MAX + 1));
    if (isNightly) {
      yield document('passages', sections(PASSAGES_MAX + 1));
      yield document('words', words(1_000_000, WORDS_MAX + 1));
    }
    yield document('p'.repeat(2_049), 'A name that is too long.');
    yield CHANGED;
  };
  const { source, sync: done } = await sync(id);
  expect(source).toMatchObject({
    status: 'ready',
    documents: 1,
    last_sync: { failed: isNightly ? 4 : 2 },
  });
  const { body } = await call('GET', `${SOURCES}/${id}/syncs/${done.id}`);
  const reasons = body.problems.map(({ reason }: { reason: string }) => reason);
  const bounds = ['20 MB', ...(isNightly ? ['55,?000', '250,?000'] : []), '2048'];
  for (const [at, bound] of bounds.entries()) {
    expect(reasons[at]).toMatch(new RegExp(bound));
  }
  expect(await find('apples')).toEqual(['Apples are green.']);
}, 60_000);
