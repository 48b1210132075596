import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

/**
 * What a comment or a document cites is there: a section of the contract, a decision, a document, a
 * file. Whoever follows a citation must not end nowhere, and files move.
 */

const ROOT = path.resolve(import.meta.dirname, '..');
const CODE = ['src', 'test', 'bin'];
const DOCS = 'docs';

/** Not gone through yet. */
const NOT_CLEAN: readonly RegExp[] = [];

const files = [...CODE, DOCS, 'examples'].flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
    path.join(folder, file),
  ),
);
const root = readdirSync(ROOT);
const contract = readFileSync(path.join(ROOT, DOCS, 'contract.md'), 'utf8');
const sections = new Set([...contract.matchAll(/^## (\d+)\. /gm)].map(([, number]) => number));

const citing = [...files, ...root.filter((file) => file.endsWith('.md'))].filter(
  (file) =>
    /\.(ts|mjs|md)$/.test(file) &&
    !NOT_CLEAN.some((place) => place.test(file)) &&
    file !== 'test/citations.test.ts',
);

test.each(citing)('%s cites what is there', (file) => {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  const cited = file.endsWith('.md') ? text : commentsOf(text);
  expect([...brokenIn(cited, file), ...brokenLinks(cited, file)]).toEqual([]);
});

describe('a citation is refused', () => {
  test.each([
    ['of a section that the contract does not have', 'contract §9', 'contract §9'],
    ['of several sections, for the one that is not there', 'contract (§4, §12)', 'contract §12'],
    ['that does not say whose section it is', 'as §3 says', '§3'],
    ['of a decision that was not taken', 'decision 99', 'decision 99'],
    ['of a decision by another name', 'docs/decisions/0015-x.md', 'docs/decisions/0015-x.md'],
    ['of a document that is not there', 'docs/nothing.md', 'docs/nothing.md'],
    ['of a folder that has moved', 'src/services', 'src/services'],
    ['of a file that has moved', 'see events/retention.ts', 'events/retention.ts'],
    ['of a file by a name it had', '(nowhere-at-all.ts)', 'nowhere-at-all.ts'],
    ['of a plan', 'design §1', 'design §1'],
    ['of notes', 'research/operators.md', 'research/'],
    ['of a ticket', 'see issue 13', 'issue 13'],
  ])('%s', (_, text, broken) => {
    expect(brokenIn(text, 'src/main.ts')).toContain(broken);
  });

  test('wherever in a comment it stands, over two lines too', () => {
    const code = ['/**', ' * As the contract', ' * §9 says.', ' */', "const url = 'x://§8';"];
    expect(commentsOf(code.join('\n')).trim()).toBe('As the contract §9 says.');
    expect(commentsOf('const a = 1; // decision 99')).toContain('decision 99');
  });

  test('as a link that leads nowhere', () => {
    expect(brokenLinks('[a](nothing.md) [b](contract.md#x)', 'docs/api.md')).toEqual([
      '](nothing.md)',
    ]);
  });
});

test('what stands is let through', () => {
  const text =
    'contract §1, §3 and §7; docs/contract.md §5; RFC 9110 §10.2.3; WHATWG HTML §9.2; decision 15; ' +
    'docs/decisions/0015; src/events/envelope.ts; events/envelope.ts; envelope.ts; test/mutants/*.ts.';
  expect(brokenIn(text, 'src/main.ts')).toEqual([]);
});

/** What a text cites that is not there, as it stands in the text. */
function brokenIn(text: string, file: string): string[] {
  return [
    ...allOf(text, NOT_IN_THE_PROJECT),
    ...brokenSections(text, file),
    ...brokenDecisions(text),
    ...brokenPaths(text),
  ];
}

const NOT_IN_THE_PROJECT = /\bdesign §\d*|design\.md|research\/|operators\.md|\bissue #?\d+/gi;
/** Sections of the contract have no parts. */
const OF_STANDARDS = /\b(?:RFC \d+|WHATWG \w+) §\d+(?:\.\d+)*|§\d+(?:\.\d+)+/g;
/** `contract §4`, `contract (§4, §6)`, `docs/contract.md §3 and §4`; as a row of a table `**§4**` */
const CONTRACT = /(?:contract(?:\.md)?`?(?:\]\([^)]*\))?,? \(?|\*\*)§\d+(?:(?:, | and )§\d+)*/gi;

function brokenSections(text: string, file: string): string[] {
  const own = text.replaceAll(OF_STANDARDS, '');
  const isContract = file === path.join(DOCS, 'contract.md');
  const cited = allOf(isContract ? own : allOf(own, CONTRACT).join(), /§\d+/g);
  const missing = cited.filter((section) => !sections.has(section.slice(1)));
  const nobodys = isContract ? [] : allOf(own.replaceAll(CONTRACT, ''), /(?<!design )§\d*/g);
  return [...missing.map((section) => `contract ${section}`), ...nobodys];
}

function brokenDecisions(text: string): string[] {
  const byNumber = allOf(text, /\bdecisions? \d+/gi);
  const byName = allOf(text, /\bdocs\/decisions\/\d{4}(?:[\w.-]*\w)?/g);
  return [
    ...byNumber.filter((cited) => !isDecision(cited.replace(/\D+/, '').padStart(4, '0'))),
    ...byName.filter((cited) => !isDecision(path.basename(cited))),
  ];
}

/** By its number, or by its whole name. */
function isDecision(name: string): boolean {
  const decisions = files.filter((file) => file.startsWith(`${DOCS}/decisions/`));
  return decisions.some((file) => {
    const there = path.basename(file);
    return there === name || (/^\d{4}$/.test(name) && there.startsWith(`${name}-`));
  });
}

function brokenPaths(text: string): string[] {
  const whole = /(?<![\w./-])(?:docs|src|test|bin)\/(?!decisions\/)[\w./-]*\w/g;
  const ending =
    /(?<![\w/.*-])(?!(?:docs|src|test|bin)\/)(?:\.{1,2}\/)*(?:[\w.-]+\/)*\w[\w.-]*\.(?:ts|mjs)\b/g;
  return [
    ...allOf(text, whole).filter((cited) => !isThere(cited)),
    ...allOf(text, ending).filter((cited) => !isNamed(cited.replace(/^(?:\.{1,2}\/)+/, ''))),
  ];
}

/** A file, a folder, or a file up to its suffix, as one says which tests to run. */
function isThere(cited: string): boolean {
  return existsSync(path.join(ROOT, cited)) || files.some((file) => file.startsWith(`${cited}.`));
}

/** By its name, or by its path below any folder. */
function isNamed(name: string): boolean {
  return [...files, ...root].some((file) => file === name || file.endsWith(`/${name}`));
}

/** Of Markdown, to other files of the project. */
function brokenLinks(text: string, file: string): string[] {
  if (!file.endsWith('.md')) return [];
  const folder = path.join(ROOT, path.dirname(file));
  return allOf(text, /\]\((?![a-z]+:|#)[^)\s]+\)/g).filter(
    (link) => !existsSync(path.join(folder, link.replace(/^\]\(|(?:#.*)?\)$/g, ''))),
  );
}

function allOf(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([found]) => found);
}

/** Each comment as one line, those of SQL too. What looks like one within a string is taken for one. */
function commentsOf(code: string): string {
  const comment = /(?<=^|\s)(?:\/\*[\s\S]*?\*\/|(?:(?:\/\/|-- ).*(?:\n\s*(?=\/\/|-- ))?)+)/g;
  const frame = /^\s*(?:\/\*\*?|\*\/|\*|\/\/|--)|\*\/$/gm;
  return allOf(code, comment)
    .map((found) => found.replaceAll(frame, ' ').replaceAll(/\s+/g, ' '))
    .join('\n');
}
