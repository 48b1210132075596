/**
 * Data of a chat that the browser stores while its tab is open, so that the chat continues after a reload or on the
 * next page of the site: the resume token, and whether the panel was open. No messages are stored.
 */
export type Kept = { resume: string; isOpen: boolean };

const nameOf = (agent: string): string => `parley:${agent}`;

/** Returns the stored data, or undefined without any or if the page may not use storage. */
export function readKept(agent: string): Kept | undefined {
  try {
    const kept = JSON.parse(
      sessionStorage.getItem(nameOf(agent)) ?? 'null',
    ) as Partial<Kept> | null;
    if (typeof kept?.resume !== 'string') return undefined;
    return { resume: kept.resume, isOpen: kept.isOpen === true };
  } catch {
    return undefined;
  }
}

/** Stores the data. @param kept undefined deletes it */
export function keep(agent: string, kept: Kept | undefined): void {
  try {
    if (kept) sessionStorage.setItem(nameOf(agent), JSON.stringify(kept));
    else sessionStorage.removeItem(nameOf(agent));
  } catch {
    // A reload begins a new chat in a sandboxed frame, or if the visitor blocks storage.
  }
}
