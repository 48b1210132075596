import { declaredIn, type Declared } from './syntax.ts';

/** A bug planted into a copy of our own sources, and the test file that must notice it. */
export type Mutant = {
  name: string;
  /** The promise that it breaks: a row of the table in docs/architecture.md, "Which file to open". */
  promise: string;
  file: string;
  /** The function, method or constant that has the text. Its name occurs once in the file. */
  in: string;
  /** Occurs once in that function. White space does not count, so that formatting does not matter. */
  find: string;
  replace: string;
  /** The test file that must turn red: the fastest one that can. */
  suite: string;
};

/** @throws Error if the function or the text in it does not exist, or exists more than once */
export function plant(mutant: Omit<Mutant, 'promise' | 'suite'>, source: string): string {
  const { name, file, find, replace } = mutant;
  const named = declarationsOf(file, source).filter((one) => one.name === mutant.in);
  const [place] = named;
  if (!place || named.length > 1)
    throw new Error(`${name}: ${mutant.in} is declared ${named.length} times in ${file}`);
  const text = source.slice(place.start, place.end);
  const [found, another] = text.matchAll(withAnySpace(find));
  if (!found || another)
    throw new Error(`${name}: its text occurs ${another ? 'twice' : 'nowhere'} in ${mutant.in}`);
  const start = place.start + found.index;
  return source.slice(0, start) + replace + source.slice(start + found[0].length);
}

let last: { source: string; declared: Declared[] } | undefined;

/** The bugs of one file stand one after the other, so it is parsed once. */
function declarationsOf(file: string, source: string): Declared[] {
  if (last?.source !== source) last = { source, declared: declaredIn(file, source) };
  return last.declared;
}

/** Words and signs of a text, in which any white space may stand between two of them. */
function withAnySpace(text: string): RegExp {
  const tokens = text.match(/\w+|[=!<>&|?]+|[^\w\s]/g) ?? [];
  const literal = tokens.map((token) => token.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
  const pattern = literal.map((token, i) => {
    const isWord = /^\w/.test(token) && /^\w/.test(literal[i + 1] ?? '');
    return token + (i === literal.length - 1 ? '' : isWord ? '\\s+' : '\\s*');
  });
  const edge = (token: string | undefined) => (/^\w/.test(token ?? '') ? '\\b' : '');
  return new RegExp(edge(tokens[0]) + pattern.join('') + edge(tokens.at(-1)), 'g');
}
