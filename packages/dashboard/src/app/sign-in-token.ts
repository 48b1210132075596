const PREFIX = '#sign-in=';

/**
 * Returns the one-time token from the sign-in link that `parley start` prints, and removes it from the address. The
 * token is in the URL fragment, which the browser never sends to a server.
 */
export function takeSignInToken(): string | null {
  const { hash, pathname, search } = window.location;
  if (!hash.startsWith(PREFIX)) return null;
  window.history.replaceState(null, '', pathname + search);
  return decodeURIComponent(hash.slice(PREFIX.length));
}
