/**
 * Texts of tool results, which the model reads and the transcript shows. Each is one line of JSON. External data
 * appears only as a JSON value, so it can neither pass for Parley's own text nor start a line. U+0000 and lone
 * surrogates, which PostgreSQL cannot store, are escaped.
 */

/** Maximum length of a result in UTF-8 (contract/tools.md#results). */
const BYTES_MAX = 32 * 1024;

/**
 * Returns the JSON text `{"ok": …}` with the fields. If the text is too long, `long` is truncated and becomes a string,
 * because truncated JSON would be invalid; the field `cut` then says so.
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
  // An escaped character takes at most six bytes, but most characters are not escaped.
  for (let chars = BYTES_MAX; ; chars = Math.floor(chars * 0.8)) {
    const short = quoted({ ...fields, cut, [long.name]: text.slice(0, chars) });
    if (Buffer.byteLength(short) <= BYTES_MAX) return short;
  }
}

export function failureText(error: string, more: Record<string, unknown> = {}): string {
  return resultText({ ok: false, error: error.slice(0, 2_000), ...more });
}

/**
 * Escapes `<`, because some servers would interpret the markers of model templates, such as `<|im_end|>` or
 * `</tool_response>`.
 */
function quoted(value: Record<string, unknown>): string {
  return JSON.stringify(value).replaceAll('<', String.raw`\u003c`);
}
