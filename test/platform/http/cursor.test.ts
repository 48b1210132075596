import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  idCursor,
  idPage,
  numberCursor,
  numberPage,
  pageOf,
} from '../../../src/platform/http/cursor.ts';
import { newUuid } from '../../../src/ids.ts';

const agents = z.object(idPage('agt'));
const versions = z.object(numberPage('versions'));

test('a page is limit rows, and the row after says that there are more', () => {
  const page = { limit: 2, view: (row: number) => row, cursorOf: String };
  expect(pageOf([3, 2, 1], page)).toEqual({ data: [3, 2], has_more: true, next_cursor: '2' });
  expect(pageOf([3, 2], page)).toEqual({ data: [3, 2], has_more: false, next_cursor: null });
  expect(pageOf([], page)).toEqual({ data: [], has_more: false, next_cursor: null });
});

test('a cursor leads back to where it was made', () => {
  const id = newUuid();
  expect(agents.parse({ cursor: idCursor('agt')({ id }) })).toEqual({ limit: 20, cursor: id });
  expect(agents.parse({})).toEqual({ limit: 20 });
  expect(versions.parse({ cursor: numberCursor('versions', 7), limit: '100' })).toEqual({
    limit: 100,
    cursor: 7,
  });
});

test('one of another list, cut off, or made up is refused', () => {
  const cursor = idCursor('we')({ id: newUuid() });
  for (const wrong of [cursor, cursor.slice(1), `${cursor}=`, '', 'AAAA', 'agt_x']) {
    expect(agents.safeParse({ cursor: wrong }).success).toBe(false);
  }
  for (const text of [
    'activations:7',
    'versions:',
    'versions:0',
    'versions:1x',
    'versions:9999999999',
  ]) {
    const wrong = Buffer.from(text).toString('base64url');
    expect(versions.safeParse({ cursor: wrong }).success).toBe(false);
  }
});

test.each(['0', '101', '-1', '+1', '1.0', '', ' 1', '1e1', '0x10', '1000'])(
  'a limit of "%s" is refused',
  (limit) => {
    expect(agents.safeParse({ limit }).success).toBe(false);
  },
);
