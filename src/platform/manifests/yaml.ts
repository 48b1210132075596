import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  visit,
  type Document,
  type Tags,
} from 'yaml';
import { reasonOf } from '../../errors.ts';
import { splitPointer, type ManifestPlace, type ManifestProblem } from './report.ts';

/** A YAML document as plain data. */
export type YamlDocument = {
  value: unknown;
  /**
   * Returns the position of the key or item at a JSON Pointer. If it is missing, returns the position of its closest
   * parent.
   */
  placeOf: (pointer: string) => ManifestPlace;
};

// No manifest needs more aliases than this. The limit stops exponential expansion ("a billion laughs") at a few
// kilobytes.
const MAX_ALIASES = 100;
// Maximum number of problems to report per document. Further problems are mostly consequences of the first.
const MAX_PROBLEMS_PER_DOCUMENT = 3;

/**
 * Parses each document in a file separately. `---` at the start of a line always ends a document. If the YAML library
 * split the file instead, it would read the document after an unclosed quote as part of the quote.
 */
export function parseYaml(
  file: string,
  text: string,
): { documents: YamlDocument[]; problems: ManifestProblem[] } {
  const documents: YamlDocument[] = [];
  const problems: ManifestProblem[] = [];
  for (const chunk of splitDocuments(text)) {
    const parsed = parseChunk(file, chunk);
    documents.push(...parsed.documents);
    problems.push(...parsed.problems);
  }
  return { documents, problems };
}

/**
 * Options for parsing YAML 1.1 as kubectl does: `no` is false, and `<<` merges. Dates and values such as `22:00`, which
 * YAML 1.1 reads as the number 1320, stay strings.
 */
const LIKE_KUBECTL = {
  version: '1.1',
  prettyErrors: false,
  logLevel: 'error',
  customTags: (tags: Tags): Tags =>
    tags.filter(
      (tag) =>
        typeof tag === 'string' || (tag.format !== 'TIME' && !tag.tag.endsWith(':timestamp')),
    ),
} as const;

type Chunk = { text: string; firstLine: number };

function splitDocuments(text: string): Chunk[] {
  const chunks: Chunk[] = [];
  let lines: string[] = [];
  let firstLine = 1;
  const cut = (nextLine: number): void => {
    // Skips a chunk that contains only directives (such as `%YAML 1.2`), comments and markers. Manifests need no
    // directives.
    if (lines.some((line) => !/^\s*(#.*|%.*|---\s*)?$/.test(line))) {
      chunks.push({ text: lines.join('\n'), firstLine });
    }
    lines = [];
    firstLine = nextLine;
  };
  text.split(/\r\n|\n|\r/).forEach((line, index) => {
    if (/^---(\s|$)/.test(line)) cut(index + 1);
    lines.push(line);
  });
  cut(0);
  return chunks;
}

function parseChunk(
  file: string,
  { text, firstLine }: Chunk,
): { documents: YamlDocument[]; problems: ManifestProblem[] } {
  const lineCounter = new LineCounter();
  const at = (offset: number): ManifestPlace => {
    const { line, col } = lineCounter.linePos(offset);
    // The line counter returns line 0 for a position on the first line.
    return { file, line: firstLine + Math.max(line, 1) - 1, column: Math.max(col, 1) };
  };
  try {
    const read = parseAllDocuments(text, { ...LIKE_KUBECTL, lineCounter }).map((document) =>
      readDocument(document, at),
    );
    return {
      documents: read.flatMap((result) => ('problems' in result ? [] : [result])),
      problems: read.flatMap((result) => ('problems' in result ? result.problems : [])),
    };
  } catch (error) {
    // The parser throws if deeply nested brackets overflow its stack.
    const detail = `cannot be parsed (${reasonOf(error)})`;
    return { documents: [], problems: [{ place: at(0), detail }] };
  }
}

function readDocument(
  document: Document.Parsed,
  at: (offset: number) => ManifestPlace,
): YamlDocument | { problems: ManifestProblem[] } {
  const found = [...document.errors, ...document.warnings].slice(0, MAX_PROBLEMS_PER_DOCUMENT);
  if (found.length > 0) {
    return {
      problems: found.map(({ pos, code, message }) => ({
        place: at(pos[0]),
        detail: code === 'DUPLICATE_KEY' ? 'this key appears twice: remove one of them' : message,
      })),
    };
  }
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    return { value, placeOf: (pointer) => at(offsetOf(document, pointer)) };
  } catch (error) {
    const place = at(offsetOfBadAlias(document));
    return { problems: [{ place, detail: `an alias cannot be resolved: ${reasonOf(error)}` }] };
  }
}

function offsetOf(document: Document.Parsed, pointer: string): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const part of splitPointer(pointer)) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === part);
      if (!pair) break;
      offset = startOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(part)];
      if (node === undefined) break;
      offset = startOf(node) ?? offset;
    } else break;
  }
  return offset;
}

function offsetOfBadAlias(document: Document.Parsed): number {
  let offset = startOf(document.contents) ?? 0;
  visit(document, {
    Alias: (_key, alias) => {
      if (alias.resolve(document)) return undefined;
      offset = startOf(alias) ?? offset;
      return visit.BREAK;
    },
  });
  return offset;
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
