import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** Two people may take the same next number at the same time. Citations name a decision or a migration by its number. */

const ROOT = path.resolve(import.meta.dirname, '../..');
const FOLDER = path.join(ROOT, 'docs/decisions');

test('each migration has a number of its own', () => {
  const files = readdirSync(path.join(ROOT, 'migrations')).filter((file) => file.endsWith('.sql'));
  const numbers = files.map((file) => Number(file.slice(0, 4)));
  expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([]);
});

test('each decision record has a number of its own, which its title repeats', () => {
  const files = readdirSync(FOLDER).filter((file) => /^\d{4}-/.test(file));
  const numbers = files.map((file) => Number(file.slice(0, 4)));
  const titled = files.map((file) =>
    Number(/^# (\d+)\. /.exec(readFileSync(path.join(FOLDER, file), 'utf8'))?.[1]),
  );
  expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([]);
  expect(titled).toEqual(numbers);
});
