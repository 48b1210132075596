import { afterEach, describe, expect, test } from 'vitest';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { newEndpointSecret } from '../../../src/platform/egress/signature.ts';
import { createDocuments, createFeed, readFolder } from './example.ts';
import { listening, stopFeeds, sync, type Synced } from './feed-harness.ts';

/** The feed of `examples/`, which docs/integrations.md tells of, is one that we read. */

afterEach(stopFeeds);

const signing = newEndpointSecret();
const tellsOf = ({ told }: Synced): string[][] => told.map(({ kind, path: id }) => [kind, id]);

test('everything first, then what has changed, and 410 to a cursor of another run', async () => {
  const documents = createDocuments();
  for (const id of ['a', 'b', 'c']) documents.set(id, { markdown: `Of ${id}.` });
  const url = `${await listening(createFeed({ documents, secret: signing, pageSize: 2 }))}/feed`;
  const secrets = () => ({ signing });
  const first = await sync(url, {
    secrets,
    // Told by the next sync, and not a second time by this one.
    onTold: (told) => {
      if (told.kind === 'document' && told.path === 'a') documents.set('a', { markdown: 'New.' });
    },
  });
  expect(tellsOf(first)).toEqual([
    ['document', 'a'],
    ['document', 'b'],
    ['document', 'c'],
  ]);
  expect(first.end?.unseen).toBe('remove');
  documents.remove('b');
  const second = await sync(url, { secrets, cursor: first.end!.cursor });
  expect(tellsOf(second)).toEqual([
    ['document', 'a'],
    ['skipped', 'b'],
  ]);
  expect(second.end?.unseen).toBe('keep');
  const third = await sync(url, { secrets, cursor: second.end!.cursor });
  expect(third.told).toEqual([]);

  const other = createDocuments();
  other.set('z', { markdown: 'Of z.' });
  const again = await listening(createFeed({ documents: other, secret: signing }));
  const cursor = third.end!.cursor!.replace(url, `${again}/feed`);
  const fourth = await sync(`${again}/feed`, { secrets, cursor });
  expect(tellsOf(fourth)).toEqual([['document', 'z']]);
  expect(fourth.end?.unseen).toBe('remove');
});

test.each([
  ['no signature', {}],
  ['the signature of another secret', { signing: newEndpointSecret() }],
  ['no token', { signing }],
  ['another token', { signing, bearer: 'tok_2' }],
])('%s is 401', async (_, secrets) => {
  const feed = createFeed({ documents: createDocuments(), secret: signing, token: 'tok_1' });
  const { refused } = await sync(`${await listening(feed)}/feed`, { secrets: () => secrets });
  expect(refused?.reason).toBe('Unauthorized');
});

describe('a folder', () => {
  test('is told of as it changes', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'parley-feed-'));
    const documents = createDocuments();
    const idsOf = (cursor?: string): string[] =>
      documents.page(cursor, 10)!.documents.map(({ id, deleted }) => `${id} ${deleted ?? false}`);
    writeFileSync(path.join(folder, 'a.md'), '# A');
    writeFileSync(path.join(folder, 'b.md'), '# B');
    readFolder(folder, documents);
    expect(idsOf()).toEqual(['a.md false', 'b.md false']);
    const { next_cursor: cursor } = documents.page(undefined, 10)!;
    rmSync(path.join(folder, 'a.md'));
    writeFileSync(path.join(folder, 'b.md'), '# B2');
    readFolder(folder, documents);
    readFolder(folder, documents);
    expect(idsOf(cursor)).toEqual(['a.md true', 'b.md false']);
    expect(idsOf()).toEqual(['b.md false']);
    rmSync(folder, { recursive: true });
  });
});
