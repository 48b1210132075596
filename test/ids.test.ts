import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import {
  fromUuid,
  ID_PREFIXES,
  isId,
  lowestUuidAt,
  newId,
  newUuid,
  toUuid,
  uuidTimeMs,
} from '../src/ids.ts';

const prefixes = Object.values(ID_PREFIXES);
const prefix = fc.constantFrom(...prefixes);
const moment = fc.integer({ min: 0, max: 2 ** 48 - 2 });

test('the prefixes are those of contract/names.md#ids', () => {
  expect(prefixes.sort()).toEqual(
    'agt conv call ks sync we evt dlv att esc note reply era gap key req job doc chk aud mp tp tool ro rcl ses'
      .split(' ')
      .sort(),
  );
});

test('a uuid and its id are the same thing in two spellings', () => {
  fc.assert(
    fc.property(prefix, fc.uuid(), (kind, uuid) => {
      const id = fromUuid(kind, uuid);
      expect(id).toMatch(new RegExp(`^${kind}_[0-9a-hjkmnp-tv-z]{26}$`));
      expect(toUuid(kind, id)).toBe(uuid);
    }),
  );
});

test('ids sort by the time they carry, as text, as uuid and as partition bound', () => {
  fc.assert(
    fc.property(moment, moment, (a, b) => {
      fc.pre(a !== b);
      const [early, late] = [Math.min(a, b), Math.max(a, b)];
      expect(newId('evt', early) < newId('evt', late)).toBe(true);
      const uuid = newUuid(late);
      expect(newUuid(early) < uuid).toBe(true);
      expect(uuidTimeMs(uuid)).toBe(late);
      expect(lowestUuidAt(late) <= uuid && lowestUuidAt(late + 1) > uuid).toBe(true);
    }),
  );
});

test('ids of one millisecond sort in the order in which they were made', () => {
  const made = Array.from({ length: 4_096 }, () => newUuid(1_700_000_000_001));
  expect(made.toSorted()).toEqual(made);
});

test('a new uuid is version 7, variant 10, and no two are alike', () => {
  const uuids = Array.from({ length: 20_000 }, () => newUuid(1_700_000_000_000));
  expect(new Set(uuids).size).toBe(uuids.length);
  const odd = uuids.filter(
    (uuid) => !/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(uuid),
  );
  expect(odd).toEqual([]);
});

test.each([
  ['nothing', ''],
  ['the prefix alone', 'evt_'],
  ['another prefix', newId('dlv')],
  ['a prefix that only begins alike', newId('evt').replace('evt_', 'evtx_')],
  ['no prefix', newId('evt').slice(4)],
  ['a character less', newId('evt').slice(0, -1)],
  ['a character more', `${newId('evt')}0`],
  ['upper case', newId('evt').toUpperCase().replace('EVT', 'evt')],
  ['a line break behind', `${newId('evt')}\n`],
  ['a space before', ` ${newId('evt')}`],
  ['a number over 128 bits', `evt_${'8'.padEnd(26, '0')}`],
  ['the highest of all', `evt_${'z'.repeat(26)}`],
  ['a bare uuid', newUuid()],
])('%s is no id', (_, text) => {
  expect(toUuid('evt', text)).toBeNull();
  expect(isId('evt', text)).toBe(false);
});

test('letters that Crockford leaves out, and any other, are refused and never guessed', () => {
  const id = newId('evt');
  for (const letter of ['i', 'l', 'o', 'u', 'I', 'O', '-', '_', '+', '/', 'é', '٣', '\0', '😀']) {
    for (const at of [4, 15, 29]) {
      const foreign = id.slice(0, at) + letter + id.slice(at + 1);
      expect(toUuid('evt', foreign)).toBeNull();
    }
  }
});

test('no text makes it throw, and what it takes it gives back alike', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ minLength: 26, maxLength: 26 }).map((s) => `evt_${s}`),
  );
  fc.assert(
    fc.property(text, (candidate) => {
      const uuid = toUuid('evt', candidate);
      expect(uuid === null || fromUuid('evt', uuid) === candidate).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
