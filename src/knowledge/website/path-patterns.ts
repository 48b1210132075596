/**
 * `include` and `exclude` of a website (contract §4): `*` stands for any characters, also `/`; a pattern
 * is of the whole path, with a `?` in it of path and query.
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
  const parts = pattern.split('*').map(spelled);
  const isOfQuery = pattern.includes('?');
  return ({ pathname, search }) => matches(parts, isOfQuery ? pathname + search : pathname);
}

/** As an address has it: `ü` is `%C3%BC`. */
function spelled(part: string): string {
  return encodeURI(part.toWellFormed())
    .replaceAll(/%25(?=[0-9a-f]{2})/gi, '%')
    .replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase());
}

/** Each part at its first place behind the one before: no pattern takes long. */
function matches(parts: readonly string[], text: string): boolean {
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
