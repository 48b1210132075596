import { existsSync, globSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesBelow, read, ROOT, SOURCES } from './sources.ts';

/**
 * Citations in comments and documents lead somewhere: to a page of the contract, a decision, a document or a file.
 */

const DOCS = 'docs';
const READMES = globSync('packages/*/README.md', { cwd: ROOT });
const files = [...filesBelow(...SOURCES, 'test', 'bin', DOCS, 'examples'), ...READMES];
const root = readdirSync(ROOT);
const decisions = files
  .filter((file) => file.startsWith(`${DOCS}/decisions/`))
  .map((file) => path.basename(file));
/** Each path with its endings after a slash, so that a citation may leave out the first folders. */
const endings = new Set([...files, ...root].flatMap(endingsOf));
/** Paths without one or more of their suffixes. */
const stems = new Set(files.flatMap(stemsOf));

test('comments and documents cite what is there', () => {
  const citing = [...files, ...root.filter((file) => file.endsWith('.md'))].filter(
    (file) => /\.(ts|mjs|md)$/.test(file) && file !== 'test/check/citations.test.ts',
  );
  const broken = citing.flatMap((file) => {
    const text = file.endsWith('.md') ? read(file) : commentsOf(read(file));
    return [...brokenIn(text), ...brokenLinks(text, file)].map((one) => `${file}: ${one}`);
  });
  expect(broken).toEqual([]);
});

describe('a citation is refused', () => {
  test.each([
    ['of a section of the contract by its number', 'contract (§4, §6)', '§6'],
    ['of a section of the contract by its name', '(contract, "Calls")', 'contract, "'],
    ['of the page that the contract had', '[a](../contract.md#x)', '](../contract.md#x)'],
    ['that does not say whose section it is', 'as §3 says', '§3'],
    ['of a page that the contract does not have', 'contract/x.md', 'contract/x.md'],
    ['of a heading that a page does not have', 'contract/agents.md#x', 'contract/agents.md#x'],
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
    expect(brokenIn(text)).toContain(broken);
  });

  test('wherever in a comment it stands, over two lines too', () => {
    const code = ['/**', ' * As the contract', ' * §9 says.', ' */', "const url = 'x://§8';"];
    expect(commentsOf(code.join('\n')).trim()).toBe('As the contract §9 says.');
    expect(commentsOf('const a = 1; // decision 99')).toContain('decision 99');
  });

  test('as a link that leads nowhere, to a file or to a heading', () => {
    const text =
      '[a](nothing.md) [b](calls.md#x) [c](#x) [d](calls.md#keys) [e](#lists) [f](x.png#x)';
    expect(brokenLinks(text, 'docs/contract/pagination.md')).toEqual([
      '](nothing.md)',
      '](calls.md#x)',
      '](#x)',
      '](x.png#x)',
    ]);
  });
});

test('what stands is let through', () => {
  const text =
    'docs/contract.md; RFC 9110 §10.2.3; WHATWG HTML §9.2; decision 15; ' +
    'docs/decisions/0015; src/events/envelope.ts; events/envelope.ts; envelope.ts; test/mutants/*.ts; ' +
    'contract/agents.md#versions, docs/contract/calls.md.';
  expect(brokenIn(text)).toEqual([]);
});

/** Citations in a text that lead nowhere, as they stand in the text. */
function brokenIn(text: string): string[] {
  return [
    ...allOf(text, NOT_IN_THE_PROJECT),
    ...allOf(text, OLD_FORMS),
    ...brokenSections(text),
    ...brokenPages(text),
    ...brokenDecisions(text),
    ...brokenPaths(text),
  ];
}

const NOT_IN_THE_PROJECT = /\bdesign §\d*|design\.md|research\/|operators\.md|\bissue #?\d+/gi;
const OLD_FORMS = /\bcontract, "|\]\((?:\.\.\/|docs\/)*contract\.md[^)]*\)/gi;
/** Only standards have numbered sections: pages of the contract have headings. */
const OF_STANDARDS = /\b(?:RFC \d+|WHATWG \w+) §\d+(?:\.\d+)*|§\d+(?:\.\d+)+/g;

function brokenSections(text: string): string[] {
  return allOf(text.replaceAll(OF_STANDARDS, ''), /(?<!design )§\d*/g);
}

/** Citations of the contract, `contract/agents.md#versions`, whose page or heading does not exist. */
function brokenPages(text: string): string[] {
  return allOf(text, /(?<![\w-])contract\/[\w-]+\.md(?:#[\w-]*)?/g).filter((cited) => {
    const [page = '', heading] = `${DOCS}/${cited}`.split('#');
    return !files.includes(page) || !hasHeading(page, heading);
  });
}

/** Accepts a file of Markdown that has the heading, and any file if none is named. */
function hasHeading(file: string, heading: string | undefined): boolean {
  return heading === undefined || (file.endsWith('.md') && headingsOf(file).includes(heading));
}

/** The anchors that GitHub makes of the headings of a document, and those that it sets itself. */
function headingsOf(file: string): string[] {
  const text = read(file).replaceAll(/^```[^]*?^```/gm, '');
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return [...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)];
}

function brokenDecisions(text: string): string[] {
  const byNumber = allOf(text, /\bdecisions? \d+/gi);
  const byName = allOf(text, /\bdocs\/decisions\/\d{4}(?:[\w.-]*\w)?/g);
  return [
    ...byNumber.filter((cited) => !isDecision(cited.replace(/\D+/, '').padStart(4, '0'))),
    ...byName.filter((cited) => !isDecision(path.basename(cited))),
  ];
}

/** Accepts the number of a decision, or its whole file name. */
function isDecision(name: string): boolean {
  const isNumber = /^\d{4}$/.test(name);
  return decisions.some((file) => (isNumber ? file.startsWith(`${name}-`) : file === name));
}

function brokenPaths(text: string): string[] {
  const whole =
    /(?<![\w./-])(?:docs|src|test|bin|packages)\/(?!decisions\/|\w+\/dist\b)[\w./-]*\w/g;
  const ending =
    /(?<![\w/.*-])(?!(?:docs|src|test|bin|packages)\/)(?:\.{1,2}\/)*(?:[\w.-]+\/)*\w[\w.-]*\.(?:ts|mjs)\b/g;
  return [
    ...allOf(text, whole).filter((cited) => !isThere(cited)),
    ...allOf(text, ending).filter((cited) => !endings.has(cited.replace(/^(?:\.{1,2}\/)+/, ''))),
  ];
}

/** Accepts a file, a folder, or a file without its suffixes, as arguments of Vitest have it. */
function isThere(cited: string): boolean {
  return stems.has(cited) || existsSync(path.join(ROOT, cited));
}

function endingsOf(file: string): string[] {
  const parts = file.split('/');
  return parts.map((_, i) => parts.slice(i).join('/'));
}

function stemsOf(file: string): string[] {
  const parts = file.split('.');
  return parts.map((_, i) => parts.slice(0, i + 1).join('.'));
}

/** Links of Markdown to files or headings of the project that do not exist. */
function brokenLinks(text: string, file: string): string[] {
  if (!file.endsWith('.md')) return [];
  return allOf(text, /\]\((?![a-z]+:)[^)\s]+\)/g).filter((link) => {
    const [to = '', heading] = link.slice(2, -1).split('#');
    const target = to === '' ? file : path.join(path.dirname(file), to);
    return !existsSync(path.join(ROOT, target)) || !hasHeading(target, heading);
  });
}

function allOf(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([found]) => found);
}

/** Each comment as one line, including those of SQL. Takes text in a string that looks like a comment for one. */
function commentsOf(code: string): string {
  const comment = /(?<=^|\s)(?:\/\*[\s\S]*?\*\/|(?:(?:\/\/|-- ).*(?:\n\s*(?=\/\/|-- ))?)+)/g;
  const frame = /^\s*(?:\/\*\*?|\*\/|\*|\/\/|--)|\*\/$/gm;
  return allOf(code, comment)
    .map((found) => found.replaceAll(frame, ' ').replaceAll(/\s+/g, ' '))
    .join('\n');
}
