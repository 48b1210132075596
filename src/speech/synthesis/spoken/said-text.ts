/** What a voice was given, and where each part of it stands in the text that it was made of. */
export type SaidText = {
  /** Says a part as it stands in the text, from this place on. */
  copy: (text: string, from: number) => void;
  /** Says other words for the part that ends at this place. */
  say: (text: string, to: number) => void;
  /** What stands up to this place belongs to what was said last, such as the end of a link. */
  close: (to: number) => void;
  /** What was said since this was asked last. */
  take: () => string;
  /** Everything that was said. */
  all: () => string;
  /** The last character that was said; '' at the beginning. */
  last: () => string;
  /** Where in the text so many characters of what was said end. */
  placeOf: (length: number) => number;
};

/** `said`, `copied` and `to` are ends: in what was said, in the text, and in the text with what closes after it. */
type Part = { said: number; copied: number | undefined; to: number };

export function createSaidText(): SaidText {
  let all = '';
  let fresh = '';
  let last = '';
  const parts: Part[] = [];

  // Long texts are joined when they are read, not with each token.
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
      if (before?.copied === from && before.to === from) {
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

/** The first part that has this character, by bisection: texts may be long. */
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
