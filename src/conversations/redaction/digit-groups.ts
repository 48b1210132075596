/** Digits without anything between them: from, up to and without. */
export type Group = { from: number; to: number };

/** To look at more groups takes milliseconds: other work runs in between. */
export const GROUPS_AT_ONCE = 1_000;

/** What a pattern finds, each with its groups of digits. */
export function* groupsIn(
  text: string,
  pattern: RegExp,
): Generator<{ from: number; groups: Group[] }> {
  for (const { index: from, 0: run } of text.matchAll(pattern)) {
    const groups: Group[] = [];
    let begin: number | undefined;
    // The position after the run. It holds no digit, because the run takes every digit.
    for (let at = from; at <= from + run.length; at += 1) {
      if (isDigitAt(text, at)) begin ??= at;
      else if (begin !== undefined) {
        groups.push({ from: begin, to: at });
        begin = undefined;
      }
    }
    yield { from, groups };
  }
}

const ZERO = 0x30;
const NINE = 0x39;

function isDigitAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= ZERO && code <= NINE;
}
