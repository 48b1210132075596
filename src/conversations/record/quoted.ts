/**
 * Data in a prompt, as JSON: it cannot look like the end of itself or like another message. Without `<`:
 * some servers would take marks such as `<|im_end|>` for their own.
 */
export function quoted(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', String.raw`\u003c`);
}
