import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { declaredIn } from '../syntax.ts';
import { codeEdits } from './code-edits.ts';
import type { Edit } from './edit.ts';
import { sqlEdits } from './sql-edits.ts';

export type Generated = Edit & {
  /** Stays the same while the place and its text do. */
  id: string;
  /** `agents`, `platform/http`, …; of migrations `migrations`. */
  noun: string;
  file: string;
  /** The innermost function, method or constant; empty outside of all. */
  function: string;
  line: number;
  /** The text that the edit replaces. */
  original: string;
};

/** The server, and the package that it reads websites with. */
const CODE = ['src/**/*.ts', 'packages/web-reader/src/**/*.ts'];

/** Every mutant of that code and of the migrations. */
export function generateAll(root: string): Generated[] {
  const files = globSync([...CODE, 'migrations/*.sql'], { cwd: root }).sort();
  return files.flatMap((file) => generate(file, readFileSync(path.join(root, file), 'utf8')));
}

/** Every mutant of one file. */
export function generate(file: string, source: string): Generated[] {
  const isMigration = file.endsWith('.sql');
  const edits = isMigration ? sqlEdits(source) : codeEdits(file, source);
  const declared = isMigration ? [] : declaredIn(file, source);
  const seen = new Map<string, number>();
  return edits.map((edit) => {
    const original = source.slice(edit.start, edit.end);
    const name = declared.findLast((one) => one.start <= edit.start && edit.start < one.end)?.name;
    const what = [file, name ?? '', edit.kind, original, edit.replace].join('\n');
    const times = (seen.get(what) ?? 0) + 1;
    seen.set(what, times);
    const id = createHash('sha256').update(`${what}\n${times}`).digest('hex').slice(0, 10);
    const line = source.slice(0, edit.start).split('\n').length;
    return { ...edit, id, noun: nounOf(file), file, function: name ?? '', line, original };
  });
}

function nounOf(file: string): string {
  const [first = '', second = '', third] = file.split('/');
  if (first === 'migrations') return first;
  return second === 'platform' ? `${second}/${third}` : second.replace(/\.ts$/, '');
}
