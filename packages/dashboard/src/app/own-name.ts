const KEY = 'parley-name';

/** Returns the name last used to sign in from this browser, or an empty string. */
export function rememberedName(): string {
  return window.localStorage.getItem(KEY) ?? '';
}

/** Remembers the name for the next sign-in. An empty name removes the remembered one. */
export function rememberName(name: string): void {
  if (name === '') window.localStorage.removeItem(KEY);
  else window.localStorage.setItem(KEY, name);
}
