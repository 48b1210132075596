import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { filesBelow, read, ROOT, SOURCES } from './sources.ts';

/** Rules for the English of comments and commits (CONTRIBUTING.md). */

/** Phrases that readers with good English stumble over, each with the way to write it. */
const PHRASES: [RegExp, string][] = [
  [/^(Of|Whose|Such|Else)\b(?! course| a result)/, 'begin with a verb or with the subject'],
  [/^Who(ever)? [a-z]+\b/, 'name the person or the program'],
  [/^(undefined|null|true|false|absent|empty): /i, 'write a sentence: "Returns undefined if …"'],
  [/\b(is|are|was|were) told\b|\btells of\b/, 'name who reports what: "The API returns …"'],
  [/\b(goes|go) on\b(?! to)/, 'continues'],
  [/\bany more\b(?! \w+s?\b)/, 'no longer'],
  [/\ball the same\b/, 'anyway'],
  [/\bunder way\b/, 'in progress'],
  [/\bin vain\b/, 'without effect'],
  [/\b(thereof|whereof|hereby|one of before)\b/, 'name the thing'],
  [/\b(what|that) of (it|them)\b/, 'name the part'],
];

type Comment = { place: string; text: string };

/** Returns the comments of a file; consecutive lines with `//` are one comment. */
function commentsOf(file: string): Comment[] {
  const source = read(file);
  const found = source.matchAll(/\/\*+([\s\S]*?)\*\/|(?:^[ \t]*\/\/.*\n?)+/gm);
  return [...found].map((match) => ({
    place: `${file}:${source.slice(0, match.index).split('\n').length}`,
    text: (match[1] ?? match[0].replaceAll(/^[ \t]*\/\//gm, ''))
      .replaceAll(/\n\s*\*?/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  }));
}

/** Returns what to write instead of each phrase that a comment has. */
const problemsOf = (text: string): string[] =>
  PHRASES.flatMap(([phrase, instead]) => (phrase.test(text) ? [instead] : []));

test('comments have none of the phrases that readers stumble over', () => {
  const files = SOURCES.flatMap((folder) => filesBelow(folder)).filter((file) =>
    /\.tsx?$/.test(file),
  );
  const comments = files.flatMap((file) => commentsOf(file));
  expect(comments.length).toBeGreaterThan(5_000);
  const found = comments.flatMap(({ place, text }) =>
    problemsOf(text).map((instead) => `${place}: ${text.slice(0, 80)} → ${instead}`),
  );
  expect(found).toEqual([]);
});

test.each([
  'Of a page: its links.',
  'Who may call this.',
  'undefined: it has ended.',
  'The client is told how long to wait.',
  'The sync goes on after a restart.',
  'It waits in vain.',
])('%j is such a comment', (text) => {
  expect(problemsOf(text)).not.toEqual([]);
});

/** The first commit to which the rule applies has this one as its parent. */
const RULED_SINCE = '3792ac20d8a1ff04af4811c541695b2f66081679';

test('the subject of a commit has at most 72 characters', ({ skip }) => {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  // A package or a shallow clone has no history to check.
  if (git('merge-base', '--is-ancestor', RULED_SINCE, 'HEAD').status !== 0) skip();
  const subjects = git('log', '--format=%s', `${RULED_SINCE}..HEAD`).stdout.split('\n');
  expect(subjects.filter((subject) => subject.length > 72)).toEqual([]);
});
