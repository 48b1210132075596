import { readdirSync, readFileSync } from 'node:fs';
import { pluralOf as pluralOfKind } from '../../../../src/platform/resources/kind-names.ts';
import { KINDS } from '../../../../src/roles/kinds.ts';
import type { Applied } from '../../../../src/platform/resources/resource-store.ts';
import { createValidator } from '../../../../src/platform/resources/schema/validate.ts';
import { readManifest } from '../../../../src/platform/manifests/object.ts';
import { formatPointer } from '../../../../src/platform/manifests/report.ts';
import { parseYaml } from '../../../../src/platform/manifests/yaml.ts';

/** A manifest of the corpus. `expected` is the invalid field, which the first line of a bad manifest names. */
export type CorpusEntry = { name: string; text: string; kind: string; expected: string };

/**
 * Reads a folder of the corpus. `<<50|k#: v,>>` stands for 50 copies, where `#` is the number of the copy. This tests
 * limits without large files.
 */
export function readCorpus(folder: 'good' | 'bad'): CorpusEntry[] {
  const directory = new URL(`./corpus/${folder}/`, import.meta.url);
  return readdirSync(directory)
    .sort()
    .map((file) => {
      const text = expand(readFileSync(new URL(file, directory), 'utf8'));
      const expected = formatPointer(/^# expect: (.*)$/m.exec(text)?.[1] ?? '');
      return {
        name: file.replace('.yaml', ''),
        text,
        kind: /^kind: (.*)$/m.exec(text)?.[1] ?? '',
        expected,
      };
    });
}

const validate = createValidator(KINDS);

/** The plurals of all kinds. */
export const PLURALS = KINDS.map(({ kind }) => pluralOfKind(kind));

/** Returns the plural of a kind; undefined for a kind that is not ours. */
export function pluralOf(kind: string): string | undefined {
  return validate.kinds.includes(kind) ? pluralOfKind(kind) : undefined;
}

type Read = { applied: Applied } | { fields: string[] };
const alreadyRead = new Map<string, Read>();

/**
 * Reads a manifest as `parley start` does: its declaration, or the invalid fields. Each text is read once per worker.
 */
export function readText(text: string): Read {
  const read = alreadyRead.get(text) ?? readAnew(text);
  alreadyRead.set(text, read);
  return read;
}

function readAnew(text: string): Read {
  const { documents, problems } = parseYaml('manifest.yaml', text);
  const read = documents.map((document) => readManifest(document, validate));
  const found = [...problems, ...read.flatMap((manifest) => manifest.problems)];
  const applied = read[0]?.objects[0]?.applied;
  if (applied && found.length === 0) return { applied };
  return { fields: found.map(({ field }) => field ?? '') };
}

/** Returns the declared spec with the defaults that the store fills in. */
export function storedSpec({ kind, spec, name, namespace }: Applied): Record<string, unknown> {
  const valid = validate(kind, spec, { name, namespace });
  if ('errors' in valid) throw new Error(JSON.stringify(valid.errors));
  return valid.spec;
}

function expand(text: string): string {
  return text.replaceAll(
    /<<(\d+)\|(.*?)>>/g,
    (_, count: string, piece: string) =>
      piece.includes('#')
        ? Array.from({ length: Number(count) }, (_, i) => piece.replaceAll('#', String(i))).join('')
        : piece.repeat(Number(count)), // Some have millions of copies.
  );
}
