import { expect, test } from 'vitest';
import { runsFor } from './choose-tests.ts';
import { codeEdits } from './code-edits.ts';
import { applyEdit, type Edit } from './edit.ts';
import { generate } from './generate.ts';
import { sqlEdits } from './sql-edits.ts';

/** Each edit as `before → after`. */
const shown = (edits: readonly Edit[], source: string): string[] =>
  edits.map(({ start, end, replace }) => `${source.slice(start, end)} → ${replace}`);
const inCode = (source: string, file = 'src/a.ts'): string[] =>
  shown(codeEdits(file, source), source);
const inSql = (source: string, options = {}): string[] => shown(sqlEdits(source, options), source);

test('each condition of a where, an on and a check is taken out by itself', () => {
  const sql = `select 1 from a join b on b.id = a.id and b.kind = 'x' where a.n = $1 and a.m is null group by 1`;
  expect(inSql(sql)).toEqual([
    'b.id = a.id → (b.id = a.id or true)',
    "b.kind = 'x' → (b.kind = 'x' or true)",
    'a.n = $1 → (a.n = $1 or true)',
    'a.m is null → (a.m is null or true)',
  ]);
  expect(inSql(`create table a (n text check (n in ('x', 'y')), m int)`)).toEqual([
    "n in ('x', 'y') → (n in ('x', 'y') or true)",
  ]);
});

test('alternatives are taken out too, also within brackets', () => {
  expect(inSql('select 1 where (a or b and c) and d')).toEqual([
    '(a or b and c) → ((a or b and c) or true)',
    'a → (a and false)',
    'b → (b or true)',
    'b and c → (b and c and false)',
    'c → (c or true)',
    'd → (d or true)',
  ]);
});

test('what only looks like a condition stays', () => {
  expect(inSql('insert into a values ($1) on conflict do nothing')).toEqual([]);
  expect(inSql('create index a_n on a (n) where n is null')).toEqual([]);
  expect(inSql('create index a_n on a (n) where n < m and o > p')).toEqual([]);
  expect(inSql("select 'x where y and z' -- where a and b\n from c")).toEqual([]);
  expect(inSql('select 1 where true')).toEqual([]);
  expect(inSql('select 1 where n between $1 and $2')).toEqual([
    'n between $1 and $2 → (n between $1 and $2 or true)',
  ]);
  expect(inSql('update a set n = case when x and y then 1 end where id = $1')).toEqual([
    'x → (x or true)',
    'y → (y or true)',
    'id = $1 → (id = $1 or true)',
  ]);
  expect(inSql("select case n when 'x' then 1 end")).toEqual([]);
});

test('a unique index has conditions, and so have parts of statements', () => {
  expect(inSql('create unique index a_n on a (n) where m is null')).toEqual([
    'm is null → (m is null or true)',
  ]);
  expect(inSql('a = $1 and b')).toEqual([]);
  expect(inSql('a = $1 and b', { isFragment: true })).toEqual([
    'a = $1 → (a = $1 or true)',
    'b → (b or true)',
  ]);
});

test('a text that is put into SQL is a condition or the next clause', () => {
  expect(inSql('select 1 where ${filter} and a = 1 ${order}')).toEqual([
    '${filter} → (${filter} or true)',
    'a = 1 → (a = 1 or true)',
  ]);
});

test('each comparison goes one step further', () => {
  expect(inCode('const a = b < 1 || c >= 2;')).toContain('< → <=');
  expect(inCode('const a = b < 1 || c >= 2;')).toContain('>= → >');
  expect(inSql('select 1 where a <= $1')).toEqual(['a <= $1 → (a <= $1 or true)', '<= → <']);
  expect(inSql("select a ->> 'b', c <> d, e @> f")).toEqual([]);
  expect(inSql('select a < now() + $1, b > 1')).toEqual(['> → >=']);
});

test('comparisons with the clock stay, and so does what is logged', () => {
  expect(inCode('const a = nowMs() >= b;')).toEqual([]);
  expect(inCode('const a = leftMs() > 0;')).toEqual([]);
  expect(inCode('const a = deps.monotonicMs() - b > c;')).toEqual([]);
  expect(inCode('log.warn({ a: b && c }, d > e);')).toEqual([]);
  expect(inCode('deps.log.warn({ a: b && c });')).toEqual([]);
  expect(inCode('deps.log.child(f).warn(g);a.log(b && c);')).toHaveLength(2);
});

test('each half of && and || is taken out, of a chain each part', () => {
  expect(inCode('const a = b && (c || d);')).toEqual([
    'b && (c || d) → ((c || d))',
    'b && (c || d) → (b)',
    'c || d → (d)',
    'c || d → (c)',
  ]);
  expect(inCode('const a = b && c && d;')).toEqual([
    'b && c && d → (c && d)',
    'b && c && d → (b && d)',
    'b && c && d → (b && c)',
  ]);
});

test('the guard of a member that is undefined without it stays', () => {
  expect(inCode('const a = { ...(b !== undefined && { b }) };')).toEqual([
    'b !== undefined && { b } → (b !== undefined)',
  ]);
  expect(inCode('const a = { ...(b !== undefined && { c: b.c }) };')).toHaveLength(2);
  expect(inCode('const a = { ...(b !== null && { b }) };')).toHaveLength(2);
  expect(inCode('const a = { ...(b !== undefined && { b, c }) };')).toHaveLength(2);
  expect(inCode('const a = b !== undefined && { b };')).toHaveLength(2);
});

test('each part is taken out of a key, and of no other text', () => {
  expect(inCode('const key = `${a}/${b}`;')).toEqual(['${a} → ', '${b} → ']);
  expect(inCode('cache.get(`${a}/${b}`);')).toEqual(['${a} → ', '${b} → ']);
  expect(inCode('function placeOf() { return `${a}`; }')).toEqual(['${a} → ']);
  expect(inCode('const as = JSON.stringify([a, b]);')).toEqual(['a,  → ', ', b → ']);
  expect(inCode('const block = `${a}`;')).toEqual([]);
});

test('a filter of a list keeps what it dropped', () => {
  expect(inCode('const a = b.filter((one) => one.c);')).toEqual([
    '(one) => one.c → (...one) => !((one) => one.c)(...one)',
  ]);
});

test('SQL is read in .sql.ts files alone', () => {
  const source = 'const TEXT = `select 1 where a and b`;';
  expect(inCode(source)).toEqual([]);
  expect(inCode(source, 'src/a.sql.ts')).toEqual(['a → (a or true)', 'b → (b or true)']);
});

test('each mutant differs in one place, and has a name, a line and an id of its own', () => {
  const source = [
    'const SQL = `select 1 where a = $1 and b < $2`;',
    'export function keyOf(c, d) {',
    '  return c.filter(Boolean) && `${c}/${d}`;',
    '}',
  ].join('\n');
  const mutants = generate('src/agents/a.sql.ts', source);
  expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
  for (const mutant of mutants) {
    const mutated = applyEdit(mutant, source);
    expect(mutated).not.toBe(source);
    expect(mutated.startsWith(source.slice(0, mutant.start))).toBe(true);
    expect(mutated.endsWith(source.slice(mutant.end))).toBe(true);
    expect(source.slice(mutant.start, mutant.end)).toBe(mutant.original);
  }
  expect(mutants.map(({ noun }) => noun)).toEqual(mutants.map(() => 'agents'));
  expect(mutants.find(({ kind }) => kind === 'comparison')).toMatchObject({
    function: 'SQL',
    line: 1,
  });
  expect(mutants.find(({ kind }) => kind === 'filter')).toMatchObject({
    function: 'keyOf',
    line: 3,
  });
});

test('test files that need less go first, then those in the same folder, then the fastest', () => {
  const seconds: Record<string, number> = {
    'test/calls/a.test.ts': 1,
    'test/agents/b.kube.test.ts': 3,
    'test/agents/c.pg.test.ts': 5,
    'test/agents/tools/d.pg.test.ts': 8,
    'test/agents/tools/e.pg.test.ts': 9,
  };
  const recorded = {
    tests: Object.keys(seconds),
    testsOf: () => Object.keys(seconds),
    secondsOf: (one: string) => seconds[one]!,
  };
  const mutant = { file: 'src/agents/tools/e.ts', noun: 'agents', start: 0 };
  expect(runsFor(mutant, recorded, { source: '', maxSec: 100 })).toEqual({
    runs: [
      ['test/calls/a.test.ts'],
      ['test/agents/tools/e.pg.test.ts'],
      ['test/agents/tools/d.pg.test.ts', 'test/agents/c.pg.test.ts'],
      ['test/agents/b.kube.test.ts'],
    ],
    leftOut: 0,
  });
  expect(runsFor(mutant, recorded, { source: '', maxSec: 10 })).toEqual({
    runs: [['test/calls/a.test.ts'], ['test/agents/tools/e.pg.test.ts']],
    leftOut: 3,
  });
});

test('a migration is looked for by the test files of the nouns whose tables it names', () => {
  const sql =
    'update agents set a = 1 where b; create unique index c on calls (d) where e is null;';
  const recorded = {
    tests: ['test/agents/a.pg.test.ts', 'test/calls/b.pg.test.ts', 'test/calls/c.test.ts'],
    testsOf: () => [],
    secondsOf: () => 1,
  };
  const mutant = { file: 'migrations/0001.sql', noun: 'migrations', start: sql.indexOf('e is') };
  expect(runsFor(mutant, recorded, { source: sql, maxSec: 9 }).runs).toEqual([
    ['test/calls/b.pg.test.ts'],
  ]);
});
