/**
 * What an error of Node's says. By its properties and not `instanceof Error`: under jest, errors that
 * Node itself makes are of another realm.
 */

/** Such as `ENOENT`; '' for an error without a code. */
export function codeOf(error: unknown): string {
  const isCoded = typeof error === 'object' && error !== null && 'code' in error;
  return isCoded && typeof error.code === 'string' ? error.code : '';
}

/** The first line, for a message of one line. */
export function reasonOf(error: unknown): string {
  const hasMessage = typeof error === 'object' && error !== null && 'message' in error;
  return String(hasMessage ? error.message : error).split('\n')[0] ?? '';
}
