import { readdirSync, readFileSync } from 'node:fs';
import { parseManifests } from '../../src/resources/manifest.ts';

/** One manifest of test/corpus; `expected` is the pointer a bad one names in its first line. */
export type CorpusEntry = { name: string; text: string; document: unknown; expected: string };

/**
 * Reads a folder of the corpus. `<<50|k#: v,>>` stands for 50 copies, `#` being the number of the
 * copy: limits are tested without files of their size.
 */
export function readCorpus(folder: 'good' | 'bad'): CorpusEntry[] {
  const directory = new URL(`../corpus/${folder}/`, import.meta.url);
  return readdirSync(directory)
    .sort()
    .map((file) => {
      const text = expand(readFileSync(new URL(file, directory), 'utf8'));
      const expected = /^# expect: (.*)$/m.exec(text)?.[1] ?? '';
      return { name: file.replace('.yaml', ''), text, document: parseManifests(text)[0], expected };
    });
}

function expand(text: string): string {
  return text.replaceAll(/<<(\d+)\|(.*?)>>/g, (_, count: string, piece: string) =>
    Array.from({ length: Number(count) }, (_, i) => piece.replaceAll('#', String(i))).join(''),
  );
}
