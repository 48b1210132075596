import { describe, expect, test } from 'vitest';
import type { FeedLimits } from '../../../src/knowledge/integration/feed-limits.ts';
import { readDocument } from '../../../src/knowledge/integration/read-document.ts';
import { PageScanner } from '../../../src/knowledge/integration/scan-page.ts';

/** Documents and pages of a feed, at each limit and one beyond. */

const LIMITS: FeedLimits = {
  pages: 2,
  pageBytes: 1_000,
  documents: 2,
  documentBytes: 10,
  documentMembers: 3,
  depth: 4,
  frameChars: 100,
  idChars: 8,
  urlChars: 20,
  titleChars: 6,
  cursorChars: 5,
};

const failing = async (act: () => unknown): Promise<string> => {
  try {
    await act();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('a document', () => {
  const HTML = { text: 'Read.', title: 'Of the page', language: 'de', path: 'a' };
  const read = (over: object, found: unknown = { documents: [HTML] }) => {
    const extract = () => Promise.resolve(found);
    const deps = { limits: LIMITS, extract, signal: AbortSignal.timeout(60_000) };
    return readDocument(deps as unknown as Parameters<typeof readDocument>[0], over, 0);
  };
  const document = (over: object) => read({ id: 'a', text: 'x', ...over });

  test.each([[null], ['text'], [[]], [undefined]])('is an object: %j', async (value) => {
    expect(await failing(() => read(value as object))).toContain('documents[0] is not an object');
  });

  test.each([
    ['x'.repeat(8), ''],
    ['x'.repeat(9), 'documents[0].id'],
    ['x', ''],
    ['', 'documents[0].id'],
    [12, 'documents[0].id'],
    [['x'], 'documents[0].id'],
    ['a\ud800', 'documents[0].id'],
    ['a\u0007', 'documents[0].id'],
  ])('has an id: %j', async (id, refusal) => {
    const message = await failing(() => read({ id, text: 'x' }));
    expect(message.includes(refusal) && (message === '') === (refusal === '')).toBe(true);
  });

  test.each([
    [{ text: 'x'.repeat(10) }, 'document'],
    [{ text: 'x'.repeat(11) }, 'failed'],
    [{ text: undefined }, 'failed'],
    [{ text: null }, 'failed'],
    [{ markdown: 'y' }, 'failed'],
    [{ markdown: null }, 'document'],
    [{ text: null, markdown: 'y' }, 'document'],
    [{ text: ' ' }, 'skipped'],
    [{ text: 12 }, 'failed'],
    [{ text: 'a\u0000' }, 'failed'],
    [{ deleted: true }, 'skipped'],
    [{ deleted: false }, 'document'],
    [{ deleted: 'no' }, 'failed'],
    [{ url: 'https://a.example/bc' }, 'document'],
    [{ url: 'https://a.example/bcd' }, 'failed'],
    [{ url: 'http://a.example' }, 'document'],
    [{ url: 'ftp://a.example' }, 'failed'],
    [{ url: 'https://[a' }, 'failed'],
    [{ url: 'https://a b' }, 'failed'],
    [{ language: 'pt-BR' }, 'document'],
    [{ language: 'p' }, 'failed'],
    [{ updated_at: 12 }, 'document'],
    [{ updated_at: Infinity }, 'failed'],
    [{ updated_at: 'x'.repeat(64) }, 'document'],
    [{ updated_at: 'x'.repeat(65) }, 'failed'],
    [{ updated_at: 'a\u0000' }, 'failed'],
    [{ updated_at: ['2026'] }, 'failed'],
    [{ updated_at: true }, 'failed'],
  ])('with %j', async (over, kind) => {
    expect((await document(over)).kind).toBe(kind);
  });

  test('has its own title, else that of its page, else its id', async () => {
    const html = { id: 'a', html: '<p>x' };
    expect(await read({ ...html, title: 'A longer one' })).toMatchObject({ title: 'A long' });
    expect(await read(html)).toMatchObject({ title: 'Of the' });
    expect(await document({})).toMatchObject({ title: 'a' });
  });

  test('has its own language of two letters, else that of its page', async () => {
    const html = { id: 'a', html: '<p>x' };
    const languages = await Promise.all([
      read({ ...html, language: 'EN-gb' }),
      read(html),
      document({ language: 'haw' }),
    ]);
    expect(languages).toMatchObject([{ language: 'en' }, { language: 'de' }, { language: null }]);
  });

  test.each([
    [{ documents: [] }],
    [{ documents: [{ ...HTML, text: ' ' }] }],
    [{ refused: { code: 'invalid_format', detail: 'It is broken.' } }],
  ])('has html that can be read: %j', async (found) => {
    expect(await read({ id: 'a', html: '<p>x' }, found)).toMatchObject({ kind: 'failed' });
  });
});

describe('a page', () => {
  const scan = (text: string) => {
    const scanner = new PageScanner(LIMITS);
    for (const piece of text.match(/.{1,7}/gs) ?? []) scanner.push(piece);
    return scanner.end();
  };
  const pageOf = (documents: string, rest = '"next_cursor":null,"has_more":false'): string =>
    `{"documents":${documents},${rest}}`;
  const refusal = (text: string): Promise<string> => failing(() => scan(text));

  test('has its documents, and what is listed elsewhere is none', () => {
    expect(scan(pageOf('[{"id":"a"},{"id":"b, [}"}]')).documents).toEqual([
      { id: 'a' },
      { id: 'b, [}' },
    ]);
    expect(
      scan(pageOf('[]', '"next_cursor":null,"has_more":false,"x":[1,2,3,4,5]')).documents,
    ).toEqual([]);
    expect(
      scan(`{"x":{"documents":[1,2,3]},${pageOf('[{"id":"a"}]').slice(1)}`).documents,
    ).toHaveLength(1);
    expect(scan(pageOf('[{"id":[]}]')).documents).toEqual([{ id: [] }]);
  });

  test.each([
    ['two documents', pageOf('[1,2]'), ''],
    ['three documents', pageOf('[1,2,3]'), 'documents'],
    ['three members in a document', pageOf('[{"a":1,"b":2,"c":3}]'), ''],
    [
      'four members in a document',
      pageOf('[{"a":1,"b":2,"c":3,"d":4}]'),
      'more than 3 members in documents[0]',
    ],
    ['three members in each of two documents', pageOf('[[1,2,3],[1,2,3]]'), ''],
    ['four levels', pageOf('[[[1]]]'), ''],
    ['five levels', pageOf('[[[[1]]]]'), 'nested more than 4 levels deep'],
    ['no object', '[1]', 'must return an object'],
    ['nothing', 'null', 'must return an object'],
    ['a text', '"x"', 'must return an object'],
    ['no list', pageOf('{}'), 'as a list'],
    ['two lists', pageOf('[1]', '"documents":[],"next_cursor":null,"has_more":false'), 'as a list'],
    ['no word about more', pageOf('[]', '"next_cursor":null'), 'has_more'],
    [
      'more without a cursor',
      pageOf('[]', '"next_cursor":null,"has_more":true'),
      'without a `next_cursor`',
    ],
    ['a cursor of five characters', pageOf('[]', '"next_cursor":"12345","has_more":true'), ''],
    [
      'a cursor of six characters',
      pageOf('[]', '"next_cursor":"123456","has_more":true'),
      'next_cursor',
    ],
    ['an empty cursor', pageOf('[]', '"next_cursor":"","has_more":true'), 'next_cursor'],
    ['a number as cursor', pageOf('[]', '"next_cursor":12,"has_more":true'), 'next_cursor'],
    ['a list as cursor', pageOf('[]', '"next_cursor":["a"],"has_more":true'), 'next_cursor'],
    [
      'a broken cursor',
      pageOf('[]', String.raw`"next_cursor":"a\ud800","has_more":true`),
      'next_cursor',
    ],
    [
      'a control character as cursor',
      pageOf('[]', String.raw`"next_cursor":"\u0007","has_more":true`),
      'next_cursor',
    ],
  ])('of %s', async (_, text, refused) => {
    const message = await refusal(text);
    expect([message.includes(refused), message === '']).toEqual([true, refused === '']);
  });

  test('has at most so many characters besides its documents', async () => {
    const of = (length: number): string => {
      const empty = pageOf('[0]', '"next_cursor":null,"has_more":false,"x":""');
      return empty.replace('"x":""', `"x":"${'y'.repeat(length - empty.length)}"`);
    };
    expect(await refusal(of(100))).toBe('');
    expect(await refusal(of(101))).toContain('more than 100 characters');
  });
});
