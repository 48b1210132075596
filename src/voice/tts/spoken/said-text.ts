/** Words to be spoken, each with its position in the source text. */
export type SaidText = {
  /** Adds words that are unchanged from the source text, where they begin at `from`. */
  copy: (text: string, from: number) => void;
  /** Adds words that replace a part of the source text. That part ends at `to`. */
  say: (text: string, to: number) => void;
  /** Counts the source text up to `to`, such as the URL of a link, as part of the last words. */
  close: (to: number) => void;
  /** Returns the words that were added since the last call. */
  take: () => string;
  all: () => string;
  /** Returns the last character that was added, or '' at the beginning. */
  last: () => string;
  /** Returns the position in the source text at which the first `length` characters of the words end. */
  placeOf: (length: number) => number;
};

/**
 * Where a part ends. `said` is its end in the spoken words. `copied` is its end in the source text before any closing
 * marks, or undefined for words that are not in the source text. `to` is its end after the closing marks.
 */
type Part = { said: number; copied: number | undefined; to: number };

export function createSaidText(): SaidText {
  let all = '';
  let fresh = '';
  let last = '';
  const parts: Part[] = [];

  // `+=` is cheap, because JavaScript engines join the strings only when they are read.
  const add = (text: string): void => {
    all += text;
    fresh += text;
    last = text.slice(-1);
  };

  return {
    copy: (text, from) => {
      if (text === '') return;
      add(text);
      const to = from + text.length;
      const before = parts.at(-1);
      if (before?.copied === from) {
        Object.assign(before, { said: all.length, copied: to, to });
      } else parts.push({ said: all.length, copied: to, to });
    },
    say: (text, to) => {
      if (text === '') return;
      add(text);
      parts.push({ said: all.length, copied: undefined, to });
    },
    close: (to) => {
      const before = parts.at(-1);
      if (before) before.to = to;
    },
    take: () => {
      const taken = fresh;
      fresh = '';
      return taken;
    },
    all: () => all,
    last: () => last,
    placeOf: (length) => {
      const part = length === 0 ? undefined : parts[firstWith(parts, length)];
      if (!part) return length === 0 ? 0 : (parts.at(-1)?.to ?? 0);
      const isPart = part.said > length && part.copied !== undefined;
      return isPart ? part.copied! - (part.said - length) : part.to;
    },
  };
}

/**
 * Returns the index of the first part that ends at `length` or later. Uses a binary search, because texts may be long.
 */
function firstWith(parts: readonly Part[], length: number): number {
  let low = 0;
  let high = parts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (parts[middle]!.said < length) low = middle + 1;
    else high = middle;
  }
  return low;
}
