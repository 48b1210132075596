import { describe, expect, test } from 'vitest';
import { readCsv } from '../../../src/knowledge/formats/read-csv.ts';

test.each([
  [',', 'Room,Price\nSingle,"45, per night"\nDouble,70\n'],
  [';', 'Room;Price\nSingle;45, per night\nDouble;70\n'],
  ['\t', 'Room\tPrice\r\nSingle\t45, per night\r\nDouble\t70\r\n'],
])('a table with %j between its cells says of each row what its values are', (_, table) => {
  expect(readCsv(table)).toBe('Room: Single\nPrice: 45, per night\n\nRoom: Double\nPrice: 70');
});

test('a first row with numbers, or with a name twice, is no header', () => {
  expect(readCsv('Single,45\nDouble,70')).toBe('Single\n45\n\nDouble\n70');
  expect(readCsv('Mon,Mon\nopen,closed')).toBe('Mon\nMon\n\nopen\nclosed');
});

/** Tables as spreadsheets save them. */
const YEARS = 'Tarif;2024;2025;2026\nBasis;19,90;21,90;22,90\nKomfort;29,90;31,90;34,90\n';
const BIKES = 'Rahmen L;249,00;3 Tage\nKette;19,90;1 Tag\n';
const READ_BIKES =
  'Artikel: Rahmen L\nPreis: 249,00\nLieferzeit: 3 Tage\n\nArtikel: Kette\nPreis: 19,90\nLieferzeit: 1 Tag';

test.each([
  ['years as names', YEARS, 'Tarif: Basis\n2024: 19,90\n2025: 21,90\n2026: 22,90'],
  ['one year as a name', 'Tarif;2026\nBasis;22,90\nKomfort;34,90', 'Tarif: Basis\n2026: 22,90'],
  [
    'seasons as names',
    'Room,2025/26,2026/27\nSingle,45.50,48.00',
    'Room: Single\n2025/26: 45.50\n2026/27: 48.00',
  ],
  [
    'days as names',
    'Tour;1.5.2026;2.5.2026\nA;9:00;10:30',
    'Tour: A\n1.5.2026: 9:00\n2.5.2026: 10:30',
  ],
  [
    'months as names',
    'Tarif,2026-01,2026-02\nA,10.5,11.5',
    'Tarif: A\n2026-01: 10.5\n2026-02: 11.5',
  ],
  [
    'sizes as names',
    'Shoe;36;37;38\nTrail;89,00;89,00;92,00',
    'Shoe: Trail\n36: 89,00\n37: 89,00\n38: 92,00',
  ],
  [
    'no name above the first column',
    ';2025;2026\nBasis;21,90;22,90',
    'Basis\n2025: 21,90\n2026: 22,90',
  ],
  ['a sign as a name', '#,Item,%\n1,Tea,7.5', '#: 1\nItem: Tea\n%: 7.5'],
])('names its columns: %s', (_, table, expected) => {
  expect(readCsv(table).split('\n\n')[0]).toBe(expected);
});

test.each([
  ['a line that says what the delimiter is', `sep=;\nArtikel;Preis;Lieferzeit\n${BIKES}`],
  ['such a line in quotation marks, with CRLF', `"sep=;"\r\nArtikel;Preis;Lieferzeit\r\n${BIKES}`],
  ['such a line behind a mark', `\ufeffSEP=;\nArtikel;Preis;Lieferzeit\n${BIKES}`],
  ['a delimiter of its own', `sep=^\nArtikel^Preis^Lieferzeit\n${BIKES.replaceAll(';', '^')}`],
  ['a delimiter at each end', `Artikel;Preis;Lieferzeit;\n${BIKES.replaceAll('\n', ';\n')}`],
  ['several at each end', `Artikel;Preis;Lieferzeit;;;\n${BIKES.replaceAll('\n', ';;;\n')}`],
  ['tabs', `Artikel\tPreis\tLieferzeit\n${BIKES.replaceAll(';', '\t')}`],
  [
    'cells in quotation marks',
    `"Artikel";"Preis";"Lieferzeit"\n${BIKES.replaceAll(/[^;\n]+/g, '"$&"')}`,
  ],
])('is read as a spreadsheet writes it: %s', (_, table) => {
  expect(readCsv(table)).toBe(READ_BIKES);
});

test.each([
  [
    'with commas',
    'Preisliste Fahrräder, Stand 1. März 2026\n\n',
    'Preisliste Fahrräder, Stand 1. März 2026',
  ],
  ['with delimiters behind it', 'Preisliste;;\n;;\n', 'Preisliste'],
  [
    'of several lines',
    'Radhaus GmbH\nPreisliste;gültig ab 2026\n',
    'Radhaus GmbH\n\nPreisliste gültig ab 2026',
  ],
  ['in quotation marks', '"Liste; neu, 2026"\n', 'Liste; neu, 2026'],
])('what stands above the names is a text: %s', (_, above, shown) => {
  const table = `${above}Artikel;Preis;Lieferzeit\n${BIKES}`;
  expect(readCsv(table)).toBe(`${shown}\n\n${READ_BIKES}`);
});

test('no price is cut in two where nothing but numbers has commas', () => {
  expect(readCsv('Rahmen, rot;249,00\nKette, lang;19,90')).toBe(
    'Rahmen, rot\n249,00\n\nKette, lang\n19,90',
  );
});

test('a delimiter inside of quotation marks is none', () => {
  const table = 'Item,Note\n"Tea; green, hot; large","a; b; c"\n"Tea; black","d; e"';
  expect(readCsv(table)).toBe(
    'Item: Tea; green, hot; large\nNote: a; b; c\n\nItem: Tea; black\nNote: d; e',
  );
});

test.each([
  ['years of birth', 'Anna,1984\nBen,1990', 'Anna\n1984\n\nBen\n1990'],
  ['a fact beside its year', 'Founded,1990\nCity,Berlin', 'Founded\n1990\n\nCity\nBerlin'],
  ['prices without cents above others', 'Single,45\nDouble,70.50', 'Single\n45\n\nDouble\n70.50'],
  ['prices with their currency', 'Single,45 €\nDouble,70 €', 'Single\n45 €\n\nDouble\n70 €'],
])('a first row of values is no header: %s', (_, table, expected) => {
  expect(readCsv(table)).toBe(expected);
});

test('a column without a name keeps its values', () => {
  expect(readCsv('Item,Price\nTea,3.50,hot\nMilk,2.50,cold\nCake,4.00,fresh')).toBe(
    'Item: Tea\nPrice: 3.50\nhot\n\nItem: Milk\nPrice: 2.50\ncold\n\nItem: Cake\nPrice: 4.00\nfresh',
  );
});

test('empty cells and rows leave nothing behind', () => {
  expect(readCsv('Room,Price\n,\n\nDouble,\n')).toBe('Room: Double');
});

test.each([
  ['too_large', `a,b\n"${'x'.repeat(200_000)}`],
  ['too_many', `${'a'.repeat(3)},`.repeat(600)],
  ['too_many', 'a,b\n'.repeat(50_002)],
])('is refused as %s', (code, table) => {
  expect(() => readCsv(table)).toThrow(expect.objectContaining({ code }));
});

test.each([
  ['as wide as the table', 'Harbour Bikes, Dublin\nPrices, valid from May 1, 2026\n\n'],
  ['wider than the table', 'Prices of saddles, chains, bells, pumps, lights\n'],
  ['with words that could be names', 'Prices, sizes, colours\n'],
])('sentences with commas above a table with commas name no column: %s', (_, above) => {
  const read = readCsv(`${above}Item,Price,Days\nSaddle,39.00,3\nChain,19.90,1\n`);
  expect(read).toContain(
    'Item: Saddle\nPrice: 39.00\nDays: 3\n\nItem: Chain\nPrice: 19.90\nDays: 1',
  );
});

test('sentences above a table are as many as its rows', () => {
  const above = 'Open all year, also on Sundays\nPrices, valid from May\n';
  expect(readCsv(`${above}Item,Price,Days\nSaddle,39.00,3\n`)).toContain(
    'Item: Saddle\nPrice: 39.00',
  );
});

test('a table with a space behind each comma has its names', () => {
  expect(readCsv('Item, Price\nSaddle, 39.00\nChain, 19.90\n')).toBe(
    'Item: Saddle\nPrice: 39.00\n\nItem: Chain\nPrice: 19.90',
  );
});

describe('the row that names the columns', () => {
  const PRICES = 'Name: Tent\nPrice: 5';

  test.each([
    ['stands above one column too', 'Name\nAnna\nBob', 'Name: Anna\n\nName: Bob'],
    ['has a row below it', 'Name;Price', 'Name\nPrice'],
    ['stands below a title', 'Title\nName,Price\nTent,5', `Title\n\n${PRICES}`],
    ['is no title above numbers', 'Prices\n5,10\n6,12', 'Prices\n\n5\n10\n\n6\n12'],
    [
      'is not the first of many titles',
      'A\nB\nC\nName,Price\nTent,5',
      'A\n\nB\n\nC\n\nName\nPrice\n\nTent\n5',
    ],
    ['is no word below an empty row', ';\nName\nAnna', 'Name\n\nAnna'],
    [
      'is no sentence',
      'Note, see below, please\nAnna,3,4',
      'Note\nsee below\nplease\n\nAnna\n3\n4',
    ],
    [
      'is no sentence below a title',
      'T\nHello, this is text\nName,Price\nTent,5\nHut,',
      `T\n\nHello this is text\n\n${PRICES}\n\nName: Hut`,
    ],
    ['stands above empty rows', 'Title\nName,Price\n,\n,\n,\nTent,5', `Title\n\n${PRICES}`],
    [
      'is as wide as the widest of equally many',
      'A,\nB,\nName,Price\nTent,5',
      `A\n\nB\n\n${PRICES}`,
    ],
    [
      'is as wide as most rows',
      'Name,Price\nTent,5\nHut,7,extra',
      `${PRICES}\n\nName: Hut\nPrice: 7\nextra`,
    ],
    ['has no name for an empty column', 'Name,,Price\nTent,,5', PRICES],
    [
      'has months of a year',
      'Item,01.2024,02.2024\nTent,5,7',
      'Item: Tent\n01.2024: 5\n02.2024: 7',
    ],
    [
      'is no title above numbers of a wider table',
      'Prices,\n5,10\n6,12',
      'Prices\n\n5\n10\n\n6\n12',
    ],
    [
      'is as wide as the widest of equally many, in any order',
      'Our,prices\nName,Price,Size\nTent,5,L\nNote,\nEnd,',
      'Our prices\n\nName: Tent\nPrice: 5\nSize: L\n\nName: Note\n\nName: End',
    ],
    ['is none of an empty table', 'sep=;', ''],
    ['has three sizes', 'Item,36,37,38\nTent,5.0,7.0,1.0', 'Item: Tent\n36: 5.0\n37: 7.0\n38: 1.0'],
    ['has no two numbers', 'Item,36,37\nTent,5.0,7.0', 'Item\n36\n37\n\nTent\n5.0\n7.0'],
    [
      'has no numbers of other steps',
      'Item,36,38,41\nTent,5.0,7.0,1.0',
      'Item\n36\n38\n41\n\nTent\n5.0\n7.0\n1.0',
    ],
    [
      'has no sizes that fall',
      'Item,38,37,36\nTent,5.0,7.0,1.0',
      'Item\n38\n37\n36\n\nTent\n5.0\n7.0\n1.0',
    ],
  ])('%s', (_, table, text) => {
    expect(readCsv(table)).toBe(text);
  });

  test('has names of at most 100 characters', () => {
    const name = 'n'.repeat(100);
    expect(readCsv(`${name},b\nTent,5`)).toBe(`${name}: Tent\nb: 5`);
    expect(readCsv(`${name}n,b\nTent,5`)).toBe(`${name}n\nb\n\nTent\n5`);
  });
});

describe('the mark between the cells', () => {
  test('is the one of the last lines too', () => {
    expect(readCsv('a;b\n1,2\n3,4')).toBe('a;b\n\n1\n2\n\n3\n4');
  });

  test('is found in a first line that is longer than the sample', () => {
    expect(readCsv(`Tent;${'b'.repeat(20_000)}\n1;2`)).toBe(`Tent\n${'b'.repeat(20_000)}\n\n1\n2`);
  });

  test('is found in a last line that ends the sample', () => {
    const table = (length: number): string => `a;b\n${'x'.repeat(length - 12)}\n3,4\n3,4`;
    expect(table(20_000)).toHaveLength(20_000);
    expect(readCsv(table(20_000))).toMatch(/\n\n3\n4\n\n3\n4$/);
  });
});

test('a table has at most 500 columns and 50,000 rows', () => {
  const columns = (count: number): string => Array(count).fill('x').join(',');
  expect(readCsv(columns(500)).split('\n')).toHaveLength(500);
  expect(() => readCsv(columns(501))).toThrow('500 columns');
  expect(readCsv('1,2\n'.repeat(50_000)).split('\n\n')).toHaveLength(50_000);
});
