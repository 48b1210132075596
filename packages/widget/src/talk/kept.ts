/**
 * Data of a chat that the browser stores while the tab is open, so that the chat continues after a reload or on the
 * next page of the site. It consists of the resume token and whether the panel was open. Messages are not stored.
 */
export type Kept = { resume: string; isOpen: boolean };

const nameOf = (agent: string): string => `parley:${agent}`;

/** Returns the stored data, or undefined if none exists or the page may not use storage. */
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

/** Stores the data of a chat. @param kept undefined deletes the stored data */
export function keep(agent: string, kept: Kept | undefined): void {
  try {
    if (kept) sessionStorage.setItem(nameOf(agent), JSON.stringify(kept));
    else sessionStorage.removeItem(nameOf(agent));
  } catch {
    // Storage is unavailable in a sandboxed frame, or if the visitor blocks it. A reload then begins a new chat.
  }
}
