/**
 * Quotes data in a prompt as JSON, so that the data can neither end the quotation nor imitate another message. Escapes
 * `<`, because some servers would interpret markers such as `<|im_end|>`.
 */
export function quoted(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', String.raw`\u003c`);
}
