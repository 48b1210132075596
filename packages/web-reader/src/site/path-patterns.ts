/**
 * Creates the filter for `include` and `exclude` of a website (contract/knowledge.md#websites). In a pattern, `*`
 * matches any characters, including `/`. A pattern must match the whole path or, if it contains a `?`, the path with
 * its query.
 */
export function createPathFilter(patterns: {
  include: readonly string[];
  exclude: readonly string[];
}): (url: URL) => boolean {
  const include = patterns.include.map(readPattern);
  const exclude = patterns.exclude.map(readPattern);
  return (url) => {
    const isIncluded = include.length === 0 || include.some((matches) => matches(url));
    return isIncluded && !exclude.some((matches) => matches(url));
  };
}

function readPattern(pattern: string): (url: URL) => boolean {
  const matches = matcherOf(pattern.split('*').map(spelled));
  const isOfQuery = pattern.includes('?');
  return ({ pathname, search }) => matches(isOfQuery ? pathname + search : pathname);
}

/** Percent-encodes a part of a pattern in the same way as a URL: `ü` becomes `%C3%BC`. */
export function spelled(part: string): string {
  return encodeURI(part.toWellFormed())
    .replaceAll(/%25(?=[0-9a-f]{2})/gi, '%')
    .replaceAll(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase());
}

/**
 * Returns a function that matches a text against a pattern, which is given as the parts between its `*`. Each part is
 * searched only once, after the match of the previous part, so that matching takes time linear in the length of the
 * text.
 */
export function matcherOf(parts: readonly string[]): (text: string) => boolean {
  const [first = '', ...middle] = parts;
  const last = middle.pop();
  const finds = middle.map(finderOf);
  return (text) => {
    if (last === undefined) return text === first;
    if (!text.startsWith(first)) return false;
    let at = first.length;
    for (const find of finds) {
      at = find(text, at);
      if (at < 0) return false;
    }
    return text.length - last.length >= at && text.endsWith(last);
  };
}

/**
 * Returns a function that finds the first occurrence of a part from `at` on. That function returns the end of the
 * occurrence, or -1. The search uses the Knuth–Morris–Pratt algorithm, because `indexOf` compares a part of more than
 * 250 characters with every position of the text.
 */
function finderOf(part: string): (text: string, at: number) => number {
  const borders = bordersOf(part);
  return (text, at) => {
    let length = 0;
    for (let to = at; length < part.length; to += 1) {
      if (to >= text.length) return -1;
      length = longer(part, borders, length, text.charCodeAt(to));
      if (length === part.length) return to + 1;
    }
    return at;
  };
}

/**
 * Returns for each prefix of a part the length of its longest proper suffix that is also a prefix (the failure function
 * of Knuth–Morris–Pratt).
 */
function bordersOf(part: string): number[] {
  const borders = [0];
  for (let at = 1; at < part.length; at += 1) {
    borders.push(longer(part, borders, borders[at - 1]!, part.charCodeAt(at)));
  }
  return borders;
}

/**
 * Returns how many characters at the beginning of the part match after reading one more code unit of the text. `length`
 * is the number of characters that matched before.
 */
function longer(part: string, borders: readonly number[], length: number, unit: number): number {
  let found = length;
  while (found > 0 && part.charCodeAt(found) !== unit) found = borders[found - 1]!;
  return part.charCodeAt(found) === unit ? found + 1 : 0;
}
