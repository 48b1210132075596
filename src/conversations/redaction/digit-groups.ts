/** Position of a group of consecutive digits; `from` is inclusive, `to` exclusive. */
export type Group = { from: number; to: number };

/**
 * Number of groups to examine before other work in the process may run. More groups would block the process for
 * milliseconds.
 */
export const GROUPS_AT_ONCE = 1_000;

/** Yields the matches of a pattern, each with its groups of consecutive digits. */
export function* groupsIn(
  text: string,
  pattern: RegExp,
): Generator<{ from: number; groups: Group[] }> {
  for (const { index: from, 0: run } of text.matchAll(pattern)) {
    const groups: Group[] = [];
    let begin: number | undefined;
    // Also visits the position after the match, which ends the last group. That position has no digit, because the
    // match includes all adjacent digits.
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
