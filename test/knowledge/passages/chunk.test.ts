import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import {
  CHUNK_CHARS_MAX,
  chunkText as chunksOf,
  titleOf,
  type Chunk,
} from '../../../src/knowledge/passages/chunk.ts';
import { OVERLAP_CHARS } from '../../../src/knowledge/passages/cut-text.ts';

const chunkText = (text: string): Chunk[] => [...chunksOf(text)];
const words = (count: number, word = 'word'): string => Array(count).fill(word).join(' ');
const headings = (text: string): string[] => chunkText(text).map(({ heading }) => heading);

describe('passages of a text', () => {
  test('stand under their headings, each subject for itself', () => {
    expect(
      chunkText('# Shop\n\nHello.\n\n## Hours\nWe open at nine.\n\n## Parking\nFour places.'),
    ).toEqual([
      { heading: 'Shop', text: 'Hello.' },
      { heading: 'Shop > Hours', text: 'We open at nine.' },
      { heading: 'Shop > Parking', text: 'Four places.' },
    ]);
  });

  test('a plain text is put together until it is large enough, and not much further', () => {
    const paragraph = words(40); // 199 characters
    const chunks = chunkText(Array(7).fill(paragraph).join('\n\n'));
    expect(chunks.map(({ text }) => text.split('\n\n').length)).toEqual([2, 2, 3]);
    expect(chunks.every(({ heading }) => heading === '')).toBe(true);
  });

  test('small deeper sections of one subject are put together, with their titles', () => {
    const text =
      '## Dogs\n\n### On pitches\nTwo.\n\n### In cabins\nNone.\n\n## Cats\n\nAs many as you like.';
    expect(chunkText(text)).toEqual([
      { heading: 'Dogs', text: 'On pitches\n\nTwo.\n\nIn cabins\n\nNone.' },
      { heading: 'Cats', text: 'As many as you like.' },
    ]);
  });

  test('a heading in a code fence is none; an underlined line is one', () => {
    const text = 'Title\n=====\n\n```\n# not a heading\n```\n\nPart\n----\n\nx\n\n- a\n---\n';
    expect(headings(text)).toEqual(['Title', 'Title > Part']);
    expect(chunkText(text)[0]!.text).toContain('# not a heading');
  });

  test('a code fence ends with one that is as long and of the same sign', () => {
    for (const inner of ['```', '~~~~']) {
      const text = `# A\n\n\`\`\`\`\n${inner}\n# inside\n\`\`\`\`\n\n# B\n\nx`;
      expect([inner, headings(text)]).toEqual([inner, ['A', 'B']]);
    }
  });

  test.each([
    ['# A', ['A']],
    ['   ###### A', ['A']],
    ['    # A', ['']],
    ['####### A', ['']],
    ['#A', ['']],
    ['# A ##', ['A']],
    ['# A\t##', ['A']],
    ['# A##', ['A##']],
    ['# C#', ['C#']],
    [`# ${'x'.repeat(200)}`, ['x'.repeat(200)]],
    [`# ${'x'.repeat(201)}`, ['']],
    ['A\n=', ['A']],
    ['A\n--', ['A']],
    ['A\n-', ['']],
    ['text\nA\n---', ['']],
    ['text\n\nA\n---', ['', 'A']],
    ['- A\n---', ['']],
    ['| A |\n---', ['']],
    [`${'x'.repeat(200)}\n===`, ['x'.repeat(200)]],
    [`${'x'.repeat(201)}\n===`, ['']],
  ])('%j has the headings %j', (head, found) => {
    expect(headings(`${head}\n\nx`)).toEqual(found);
  });

  test('a heading without anything below it is kept as text', () => {
    expect(chunkText('# A\n\nx\n\n# Only a title')).toEqual([
      { heading: 'A', text: 'x' },
      { heading: 'Only a title', text: 'Only a title' },
    ]);
  });

  test('a long paragraph is cut after a sentence, and begins anew with the last ones', () => {
    const sentence = (at: number): string => `Sentence ${at} has some words in it to be read.`;
    const text = Array.from({ length: 100 }, (_, at) => sentence(at)).join(' ');
    const chunks = chunkText(text);
    expect(chunks.length).toBeGreaterThan(2);
    for (const [at, chunk] of chunks.entries()) {
      expect(chunk.text).toMatch(/^Sentence \d+ .*read\.$/s);
      if (at === 0) continue;
      const start = chunk.text.slice(0, 60);
      const before = chunks[at - 1]!.text;
      expect(before.length - before.indexOf(start)).toBeLessThanOrEqual(OVERLAP_CHARS);
      expect(before).toContain(start);
    }
  });

  test('a table is cut between its rows', () => {
    const rows = Array.from({ length: 200 }, (_, at) => `| ${at} | some cell |`);
    const shown = chunkText(rows.join('\n')).flatMap(({ text }) => text.split('\n'));
    expect(shown.every((line) => rows.includes(line))).toBe(true);
  });

  describe('of a long table', () => {
    const rows = Array.from(
      { length: 60 },
      (_, at) => `| Model ${at} with hub gears and lights | ${300 + at}.00 | ${40 + at}.00 |`,
    );

    test.each([
      ['its names', '| Model | Price to buy | Deposit |\n| --- | --- | --- |'],
      ['names with places for its texts', '| Model | Price | Deposit |\n|:--|--:|:-:|'],
    ])('each passage begins with %s', (_, head) => {
      const chunks = chunkText(`# Hire\n\n${head}\n${rows.join('\n')}`);
      expect(chunks.length).toBeGreaterThan(1);
      for (const { heading, text } of chunks) {
        expect(heading).toBe('Hire');
        expect(text.startsWith(`${head}\n| Model `)).toBe(true);
        expect(text.length).toBeLessThanOrEqual(CHUNK_CHARS_MAX);
      }
      const shown = chunks.map(({ text }) => text.split('\n').slice(2));
      expect(shown.flat()).toEqual(rows);
      for (const [at, [row]] of shown.entries())
        if (at > 0)
          expect(`${chunks[at - 1]!.text}\n${row}`.length).toBeGreaterThan(CHUNK_CHARS_MAX);
    });

    test('rows without bars at their ends are rows too', () => {
      const bare = rows.map((row) => row.slice(2, -2));
      const chunks = chunkText(`Model | Price | Deposit\n--- | --- | ---\n${bare.join('\n')}`);
      expect(chunks.every(({ text }) => text.startsWith('Model | Price | Deposit\n---'))).toBe(
        true,
      );
    });

    test('what introduces it stands above its first rows alone', () => {
      const table = `All models:\n| Model | Price | Deposit |\n| --- | --- | --- |\n${rows.join('\n')}`;
      const [first, ...others] = chunkText(table);
      expect(first!.text).toMatch(/^All models:\n\| Model \| Price/);
      for (const { text } of others) expect(text).toMatch(/^\| Model \| Price/);
    });

    test('a row that is longer than a passage is cut, below the names each time', () => {
      const chunks = chunkText(`| A | B |\n| --- | --- |\n| x | ${words(900)} |\n| y | 2 |`);
      expect(chunks.length).toBeGreaterThan(2);
      for (const { text } of chunks) {
        expect(text.startsWith('| A | B |\n| --- | --- |\n')).toBe(true);
        expect(text.length).toBeLessThanOrEqual(CHUNK_CHARS_MAX);
      }
      expect(chunks.at(-1)!.text).toContain('| y | 2 |');
    });

    test('names that fill a passage themselves are not repeated', () => {
      const head = `| ${words(300, 'name')} | b |\n| --- | --- |`;
      const all = chunkText(`${head}\n${rows.join('\n')}`).map(({ text }) => text);
      expect(all.filter((text) => text.includes('| --- |'))).toHaveLength(1);
      expect(all.every((text) => text.length <= CHUNK_CHARS_MAX)).toBe(true);
    });
  });

  test('are none of an empty text, and the title is the first heading', () => {
    expect(chunkText(' \r\n\t\n')).toEqual([]);
    expect(titleOf(chunkText('# A\n\nx')[0]!)).toBe('A');
    expect(titleOf(chunkText('x')[0]!)).toBeUndefined();
  });

  test('of any text: nothing is lost, all fit, no character is cut', () => {
    const line = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.constantFrom('', '', '# One', '## Two', '### Three', '#### Four', '---', '```', '\r'),
      fc.constantFrom('### Five', '##### Six', 'x'),
      fc.nat(900).map((count) => words(count, 'lorem')),
      fc.nat(3_000).map((count) => '𝒳'.repeat(count)),
    );
    const texts = fc.array(line, { maxLength: 30 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(texts, (text) => {
        const chunks = chunkText(text);
        const odd = chunks.filter(
          ({ text: { length }, text: shown }) =>
            length === 0 || length > CHUNK_CHARS_MAX || !shown.isWellFormed(),
        );
        expect(odd).toEqual([]);
        expect(missingFrom(text, chunks)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  // Quadratic work on these would last longer than the time limit of a test.
  test('of 5 MB are made of many paragraphs and of one that is long', () => {
    const text = `# A\n\n${`${words(120)}.\n\n`.repeat(8_000)}${words(50_000)}`;
    expect(chunkText(text).length).toBeGreaterThan(5_000);
  });
});

/** Words of a text that are in no passage and in no heading, and runs of letters cut too short. */
function missingFrom(text: string, chunks: readonly Chunk[]): string[] {
  const kept = chunks.map((chunk) => `${chunk.heading} ${chunk.text}`).join(' ');
  const there = new Set(kept.match(/[\p{L}\p{N}]+/gu));
  const counted = (of: string): number => of.match(/𝒳/gu)?.length ?? 0;
  const short = counted(kept) < counted(text) ? ['𝒳'] : [];
  const all = text.toWellFormed().match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...all.filter((word) => !there.has(word) && !word.includes('𝒳')), ...short];
}
