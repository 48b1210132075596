const PREFIX = '#sign-in=';

/**
 * The one-time token of the link that `parley start` prints, from the fragment of the address, which no
 * server and no log ever sees. The address is cleaned at once.
 */
export function takeSignInToken(): string | null {
  const { hash, pathname, search } = window.location;
  if (!hash.startsWith(PREFIX)) return null;
  window.history.replaceState(null, '', pathname + search);
  return decodeURIComponent(hash.slice(PREFIX.length));
}
