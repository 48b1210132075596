/** PostgreSQL takes neither a character of 0 nor half of a surrogate pair. `max`: characters. */
export function storable(text: string, max = Infinity): string {
  const cut = text.length <= max ? text : `${text.slice(0, max - 1)}…`;
  return cut.replaceAll('\0', '').toWellFormed();
}
