import { describe, expect, test } from 'vitest';
import { markdownOfPages, type PdfLine } from '../../../src/knowledge/formats/pdf-text.ts';

/** Lines of one paragraph, all of the same width. */
const lines = (...texts: string[]): PdfLine[] =>
  texts.map((text, at) => ({ text, x: 72, y: 700 - at * 13, right: 500, size: 11, turn: 0 }));

test.each([
  [
    'erstatten wir die gesamten Hin-',
    'und Rückfahrtkosten.',
    'die gesamten Hin- und Rückfahrtkosten.',
  ],
  ['Gebühr für die Bearbeitungs-', 'oder Versandkosten.', 'Bearbeitungs- oder Versandkosten.'],
  ['The price holds for three-', 'and four-day tickets.', 'three- and four-day tickets.'],
  ['Schreiben Sie uns mit einer E-', 'mail an den Dienst.', 'einer E-mail an'],
  ['We ask for a deposit for each non-', 'EU guest.', 'each non-EU guest.'],
  ['Das gilt auch für Baden-', 'Württemberg.', 'für Baden-Württemberg.'],
  ['The tour is for groups of 12-', 'year olds.', 'of 12-year olds.'],
  ['beside the recep-', 'tion of the house.', 'the reception of the house.'],
  ['neben der Rezep-', 'tion des Hauses.', 'der Rezeption des Hauses.'],
  ['beside the recep\u2010', 'tion of the house.', 'the reception of the house.'],
  ['beside the recep\u00ad', 'tion of the house.', 'the reception of the house.'],
  ['Today a well-known house, a very well-', 'known one.', 'very well-known one.'],
  ['The checkin is at noon, and the check-', 'in at ten too.', 'the checkin at ten'],
  ['The list ends with a dash -', 'and goes on.', 'a dash - and goes on.'],
])(
  'a hyphen at the end of a line goes where the word goes on, and there alone: %s %s',
  (first, second, expected) => {
    expect(markdownOfPages([lines(first, second)])).toContain(expected);
  },
);

test('what stands for a word depends on the language', () => {
  const french =
    'Nous vous prions de ne pas oublier que les prix de la liste sont pour une personne et les avant-';
  expect(markdownOfPages([lines(french, 'et après-ventes.')])).toContain('avant- et après-ventes.');
  const german =
    'Die Karte ist für alle Gäste in dem Hotel, die nicht mit der Bahn kommen, ein Kabinett-';
  expect(markdownOfPages([lines(german, 'et cetera.')])).toContain('Kabinettet cetera.');
});

test('lines that run in two directions are two texts', () => {
  const [level, upright] = lines('We open at nine', 'Form 12');
  expect(markdownOfPages([[level!, { ...upright!, turn: 90 }]])).toBe('We open at nine\n\nForm 12');
});

const line = (text: string, over: Partial<PdfLine> = {}): PdfLine => ({
  ...lines(text)[0]!,
  ...over,
});
const read = (...page: PdfLine[]): string => markdownOfPages([page]);

describe('a heading', () => {
  const under = (text: string, over: Partial<PdfLine> = {}): PdfLine =>
    line(text, { y: 687, size: 10, ...over });

  test('has letters that are larger by 15 per cent, be it half of the lines', () => {
    expect(read(line('Title', { size: 11.5 }), under('longer text'))).toBe(
      '# Title\n\nlonger text',
    );
    expect(read(line('Title', { size: 11 }), under('longer text'))).toBe('Title longer text');
    const both = [line('Title', { size: 16 }), line('Another', { size: 16 })];
    expect(read(...both, under('a text that is longer'))).toBe(
      'Title Another a text that is longer',
    );
  });

  test('has at most 200 characters, and the longer ones do not count', () => {
    const body = under('x'.repeat(600), { y: 600 });
    for (const [length, mark] of [
      [200, '# '],
      [201, ''],
    ] as const) {
      const long = line('y'.repeat(length), { size: 16, y: 650 });
      const shown = read(line('Title', { size: 16 }), long, body, under('z', { y: 500 }));
      expect(shown).toBe(`# Title\n\n${mark}${'y'.repeat(length)}\n\n${'x'.repeat(600)}\n\nz`);
    }
    const long = line('y'.repeat(201), { size: 16, y: 650 });
    expect(read(line('Title', { size: 16 }), long, body)).toMatch(/^# Title\n/);
    expect(read(line('y'.repeat(200), { size: 16 }), body)).toMatch(/^# y/);
    expect(read(line('y'.repeat(201), { size: 16 }), body)).toMatch(/^y/);
  });

  test('has a letter', () => {
    const title = line('Title', { size: 16 });
    const number = line('12', { size: 16, y: 650 });
    expect(read(title, number, under('a longer text', { y: 600 }), under('b', { y: 500 }))).toBe(
      '# Title\n\n12\n\na longer text\n\nb',
    );
  });

  test('is larger than the first of two sizes with as many characters', () => {
    expect(read(line('abcd'), line('efgh', { size: 16, y: 687 }))).toBe('abcd\n\n# efgh');
  });
});

describe('a paragraph', () => {
  test('goes on in a line that is at most 1.75 times its size below', () => {
    const second = (y: number): PdfLine => line('two', { size: 12, y });
    expect(read(line('one', { size: 12 }), second(679))).toBe('one two');
    expect(read(line('one', { size: 12 }), second(678.9))).toBe('one\n\ntwo');
  });

  test('goes on in another column unless it has ended', () => {
    const next = (y: number): PdfLine => line('two', { y });
    expect(read(line('one.'), next(711))).toBe('one. two');
    expect(read(line('one.'), next(712))).toBe('one.\n\ntwo');
    expect(read(line('one'), next(712))).toBe('one two');
  });

  test('keeps the end of a line before four fifths of the widest, and of a line above an item', () => {
    const of = (right: number, text: string): string =>
      read(line('one', { right }), line(text, { y: 687 }));
    expect(of(400, 'two')).toBe('one two');
    expect(of(399, 'two')).toBe('one\ntwo');
    expect(of(500, '- two')).toBe('one\n- two');
  });

  test.each([
    ['返品', '方法', '返品方法'],
    ['返品', 'methods', '返品 methods'],
    ['methods', '返品', 'methods 返品'],
  ])('of %s and %s has a space where a script needs one', (first, second, text) => {
    expect(read(...lines(first, second))).toBe(text);
  });
});

test('what stands at the edge of most pages is left out, of three pages or more', () => {
  const page = (head: string, at: number): PdfLine[] => [
    ...(head.startsWith('Low') ? [line(`e${at}`, { y: 800 }), line(`f${at}`, { y: 790 })] : []),
    line(head.replace('Low ', ''), { y: head === 'Moved' ? 740 + at * 10 : 780 }),
    ...['a', 'b', 'c', 'd'].map((text, i) => line(`${text}${'xyzw'[at]}`, { y: 700 - i * 100 })),
  ];
  const shows = (...heads: string[]): boolean => markdownOfPages(heads.map(page)).includes('Head');
  expect(shows('Head 1', 'Head 2')).toBe(true);
  expect(shows('Head 1', 'Head 2', 'Head 3')).toBe(false);
  expect(shows('Head 1', 'Head 2', 'Head 3', 'x')).toBe(false);
  expect(shows('Head 1', 'Head 2', 'x', 'y')).toBe(true);
  expect(shows('Head 1', 'Head 2', 'Head 3', 'Low Head 4')).toBe(true);
  expect(markdownOfPages(['Moved', 'Moved', 'Moved'].map(page))).toContain('Moved');
});
