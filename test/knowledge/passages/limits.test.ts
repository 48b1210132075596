import { describe, expect, test } from 'vitest';
import { chunkText } from '../../../src/knowledge/passages/chunk.ts';
import { cutLongText } from '../../../src/knowledge/passages/cut-text.ts';
import { packChunks, type NewChunk } from '../../../src/knowledge/passages/packed-chunks.ts';
import { placesOf } from '../../../src/knowledge/passages/posting-lists.ts';
import {
  askedWords,
  questionText,
  searchableText,
  sentenceText,
} from '../../../src/knowledge/passages/question-words.ts';

/** What cuts a text and its words, exactly at each limit and one beyond. */

const chunksOf = (text: string) => [...chunkText(text)];
const headings = (text: string): string[] => chunksOf(text).map(({ heading }) => heading);
const texts = (text: string): string[] => chunksOf(text).map((chunk) => chunk.text);

describe('headings of a passage', () => {
  test('have at most 400 characters', () => {
    const [long, short] = ['a'.repeat(200), 'b'.repeat(197)];
    expect(headings(`# ${short}\n\n## ${long}\n\nx`)).toEqual([`${short} > ${long}`]);
    expect(headings(`# ${short}b\n\n## ${long}\n\nx`)).toEqual([long]);
  });

  test('are read in the second line too, and after a mark without words', () => {
    expect(headings('\n# A\n\nx')).toEqual(['A']);
    expect(headings('# A\n\n# \u00a0\n\nx')).toEqual(['A']);
  });

  test('with nothing below them are kept as text, also above another of their level', () => {
    expect(texts('# A\n\n# B\n\nx')).toEqual(['A', 'x']);
  });
});

describe('sections of one subject', () => {
  const of = (first: number, second: number): string[] =>
    headings(`## S\n\n### A\n\n${'a'.repeat(first)}\n\n### B\n\n${'b'.repeat(second)}`);

  test('are joined while the first one is small', () => {
    expect([of(399, 5), of(400, 5)]).toEqual([['S'], ['S > A', 'S > B']]);
  });

  test('are joined while a passage holds them', () => {
    // Two titles and three gaps take eight characters.
    expect([of(300, 1_692), of(300, 1_693)]).toEqual([['S'], ['S > A', 'S > B']]);
  });

  test('without a heading in common are not joined', () => {
    expect(headings('### A\n\nx\n\n### B\n\ny')).toEqual(['A', 'B']);
  });
});

test('paragraphs are joined while a passage holds them', () => {
  const of = (last: number): number => texts(`${'a'.repeat(300)}\n\n${'b'.repeat(last)}`).length;
  expect([of(1_698), of(1_699)]).toEqual([1, 2]);
});

describe('a long text', () => {
  const cut = (text: string, max: number): string[] => [...cutLongText(text, max)];

  test('is one piece up to the limit', () => {
    expect(cut('one two three', 13)).toEqual(['one two three']);
    expect(cut('one two three', 12)).toEqual(['one two', 'two three']);
  });

  test('is cut between characters, never inside one', () => {
    for (const character of ['\u{1d400}', '\u{103ff}']) {
      expect(cut(`a${character.repeat(4)}`, 6)).toEqual([
        `a${character.repeat(2)}`,
        character.repeat(2),
      ]);
    }
    expect(cut('a\uff21\uff21\uff21', 2)).toEqual(['a\uff21', '\uff21\uff21']);
  });

  test('begins its next piece with a sentence where no line begins in time', () => {
    const line = `${'x'.repeat(150)}. ${'y'.repeat(150)}`;
    expect(cut(`${line}\n${'z'.repeat(280)}`, 310)[1]).toMatch(/^y{150}\nz/);
  });
});

describe('a table', () => {
  const HEAD = '| A | B |\n| --- | --- |';
  const rowOf = (length: number): string => `| ${'x'.repeat(length - 4)} |`;
  const many = Array<string>(60).fill(rowOf(60)).join('\n');
  const repeats = (text: string, head: string): boolean =>
    texts(text)
      .slice(1)
      .every((piece) => piece.startsWith(head));

  test('needs a line with a bar, a rule with a bar below it, and a line above the rule', () => {
    expect(repeats(`${HEAD}\n${many}`, HEAD)).toBe(true);
    expect(repeats(`Title\n--- | ---\n${many}`, 'Title')).toBe(false);
    expect(repeats(`| A | B\n---\n${many}`, '| A | B')).toBe(false);
    const plain = `| first | row |\n| second | row |\n${many}`;
    expect(texts(plain).filter((piece) => piece.includes('first'))).toHaveLength(1);
    const first = texts(`| --- | --- |\n${many}`);
    expect(first.filter((piece) => piece.includes('---'))).toHaveLength(1);
  });

  test('repeats names that leave half of a passage', () => {
    for (const [length, isRepeated] of [
      [1_000, true],
      [1_001, false],
    ] as const) {
      const names = `| ${'n'.repeat(length - 18)} |\n| --- | --- |`;
      expect([names.length, repeats(`${names}\n${many}`, names)]).toEqual([length, isRepeated]);
    }
  });

  test('keeps what introduces it above its first rows while a passage holds all of it twice', () => {
    for (const [length, isThere] of [
      [2_000 - 1 - HEAD.length * 2, true],
      [2_000 - HEAD.length * 2, false],
    ] as const) {
      const above = 'x'.repeat(length);
      const [first = '', second = ''] = texts(`${above}\n${HEAD}\n${many}`);
      expect([first.startsWith(`${above}\n${HEAD}`), second.startsWith(HEAD)]).toEqual([
        isThere,
        true,
      ]);
      expect(first.includes(above)).toBe(true);
      expect(second.includes('xxx\n')).toBe(false);
    }
  });

  test('fills a passage to the limit', () => {
    const room = 2_000 - HEAD.length - 1;
    const row = ` ${rowOf(room - 1)}`;
    expect(texts(`${HEAD}\n${row}\n${rowOf(60)}`)[0]).toBe(`${HEAD}\n${row}`);
    const [half, rest] = [rowOf(1_000), rowOf(room - 1_001)];
    expect(texts(`${HEAD}\n${half}\n${rest}\n${rowOf(60)}`)[0]).toBe(`${HEAD}\n${half}\n${rest}`);
    expect(texts(`${HEAD}\n${half}\n${rest}x\n${rowOf(60)}`)[0]).toBe(`${HEAD}\n${half}`);
  });
});

test('passages are packed into batches of 250,000 characters, and none is empty', () => {
  const chunk = (length: number): NewChunk => {
    const one = { id: 'i', position: 0, heading: '', text: '', headingWords: '', textWords: '' };
    const { headingWords, textWords, ...rest } = one;
    const empty = JSON.stringify({ ...rest, heading_words: headingWords, text_words: textWords });
    return { ...one, text: 'x'.repeat(length - empty.length) };
  };
  const batches = (...lengths: number[]): number[] =>
    [...packChunks(lengths.map(chunk))].map(
      (bytes) => (JSON.parse(Buffer.from(bytes).toString()) as unknown[]).length,
    );
  expect(batches(200_000, 50_000)).toEqual([2]);
  expect(batches(200_000, 50_000, 1_000)).toEqual([2, 1]);
  expect(batches(200_000, 49_999, 1_000)).toEqual([3]);
});

test('the places of an owner are those from its lowest to its highest posting', () => {
  const posting = (position: number): number[] => [0, 0, 0, position, 64];
  const owner = Buffer.from('018f0000-0000-7000-8000-00000000000as');
  const list = (positions: number[]): Buffer =>
    Buffer.concat([owner, Buffer.from([0, 0, 0, positions.length, ...positions.flatMap(posting)])]);
  expect(placesOf([list([5, 7])]).count).toBe(3);
  expect(placesOf([list([7, 5]), list([9])])).toMatchObject({
    count: 5,
    owners: [{ lowest: 5, highest: 9 }],
  });
});

describe('words', () => {
  test('have at most 64 characters', () => {
    const word = 'x'.repeat(64);
    expect(searchableText(`a ${word} b ${word}x`)).toBe(`a ${word} b`);
  });

  test('of a question are English ones if both languages have as many that say nothing', () => {
    expect(questionText('the wie fahrrad')).toBe('wie fahrrad');
    expect(questionText('wie combien fahrrad')).toBe('fahrrad');
  });

  test('in hiragana alone only point at the story', () => {
    expect(askedWords('自転車が壊れました。たすけてくれますか？').question).toBe('自転 転車 壊');
  });

  test.each([
    ['退货政策', '退货 政策'],
    ['为什么退货', '为什么 退货'],
    ['カード', 'カード'],
    ['一二三', '一二 二三'],
    ['犬と猫', '犬 と 猫'],
    ['은', '은'],
    ['반품은', '반품'],
    ['집은', '집은'],
    ['집에게', '집에게'],
    ['집입니다', '집'],
    ['반품들에게는도', '반품들'],
  ])('of %s in a question are %s', (text, words) => {
    expect(sentenceText(text)).toBe(words);
  });

  test('of at most 16 characters are indexed with their parts', () => {
    const of = (length: number): number => searchableText('ア'.repeat(length)).split(' ').length;
    expect([of(16), of(17)]).toEqual([29, 1]);
  });
});
