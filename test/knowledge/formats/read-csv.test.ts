import { expect, test } from 'vitest';
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
