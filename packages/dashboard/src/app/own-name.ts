const KEY = 'parley-name';

/** Returns the name with which somebody last signed in here, or an empty string. */
export function rememberedName(): string {
  return window.localStorage.getItem(KEY) ?? '';
}

/** Stores the name for the next sign-in. An empty name is forgotten. */
export function rememberName(name: string): void {
  if (name === '') window.localStorage.removeItem(KEY);
  else window.localStorage.setItem(KEY, name);
}
