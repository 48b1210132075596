/**
 * What the model reads of a tool, and the transcript shows: one line of JSON. Whatever comes from
 * elsewhere is a value in it, so that none of it stands where words of ours stand, nor begins a line; and
 * what PostgreSQL cannot store, U+0000 and half of a surrogate pair, is written as its escape.
 */

/** Longest result, in UTF-8 (contract/tools.md#results). */
const BYTES_MAX = 32 * 1024;

/**
 * `{"ok": …}` and the fields. `long` is shortened first when it is too long, and `cut` says so: as JSON
 * it would be broken, so it becomes a text.
 */
export function resultText(
  fields: Record<string, unknown>,
  long?: { name: string; value: unknown },
): string {
  if (!long) return quoted(fields);
  const whole = quoted({ ...fields, [long.name]: long.value });
  if (Buffer.byteLength(whole) <= BYTES_MAX) return whole;
  const text = typeof long.value === 'string' ? long.value : JSON.stringify(long.value);
  const cut = `only the beginning: ${long.name} has at least ${Buffer.byteLength(text)} bytes`;
  // A character takes six bytes at most, when it is escaped: mostly it does not.
  for (let chars = BYTES_MAX; ; chars = Math.floor(chars * 0.8)) {
    const short = quoted({ ...fields, cut, [long.name]: text.slice(0, chars) });
    if (Buffer.byteLength(short) <= BYTES_MAX) return short;
  }
}

export function failureText(error: string, more: Record<string, unknown> = {}): string {
  return resultText({ ok: false, error: error.slice(0, 2_000), ...more });
}

/**
 * `<` is written as its escape: the marks by which the templates of models begin and end a message, as
 * `<|im_end|>` or `</tool_response>`, would count as such with some servers.
 */
function quoted(value: Record<string, unknown>): string {
  return JSON.stringify(value).replaceAll('<', String.raw`\u003c`);
}
