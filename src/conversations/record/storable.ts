/**
 * Returns text that PostgreSQL can store: without NUL characters and lone surrogates, and with at most `max`
 * characters.
 */
export function storable(text: string, max = Infinity): string {
  const cut = text.length <= max ? text : `${text.slice(0, max - 1)}…`;
  return cut.replaceAll('\0', '').toWellFormed();
}
