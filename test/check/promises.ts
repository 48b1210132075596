import path from 'node:path';
import { read } from './sources.ts';

/** A row of the table "Which file to open" in docs/architecture.md. */
export type Promised = { promise: string; files: string; tests: string[] };

/** The rows of the table, without the pages of the contract that the first cells name. */
export function promisesOfContract(): Promised[] {
  const [, after = ''] = read('docs/architecture.md').split('\n## Which file to open\n');
  const [table = ''] = after.split('\n## ');
  const rows = table.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(2).map((row) => {
    const [promise = '', files = '', tests = ''] = row.slice(2, -2).split(' | ');
    return {
      promise: promise.replace(/^\*\*\[[^\]]+\]\([^)]+\)\*\* /, ''),
      files,
      tests: [...tests.matchAll(/`([^`]+)`/g)].map(([, file]) => path.join('test', file!)),
    };
  });
}
