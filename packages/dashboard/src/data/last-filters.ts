const left = new Map<string, Record<string, string>>();

/**
 * Remembers the filters of the page that is being left, so that they are set again when somebody returns to the page.
 */
export function rememberFilters({ pathname, search }: { pathname: string; search: object }): void {
  const filters = search as Record<string, string>;
  if (Object.keys(filters).length > 0) left.set(pathname, filters);
  else left.delete(pathname);
}

/** Returns the filters that the page at this path had when it was last left, or an empty object. */
export function lastFilters(pathname: string): Record<string, string> {
  return left.get(pathname) ?? {};
}
