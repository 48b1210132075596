/**
 * What the browser keeps of a chat while its tab is open, so that a reload or the next page of the same
 * site goes on with it: what resumes it, and whether the panel was open. Nothing that was said.
 */
export type Kept = { resume: string; isOpen: boolean };

const nameOf = (agent: string): string => `parley:${agent}`;

/** undefined: nothing, or a page that may not store. */
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

/** @param kept undefined: forget it */
export function keep(agent: string, kept: Kept | undefined): void {
  try {
    if (kept) sessionStorage.setItem(nameOf(agent), JSON.stringify(kept));
    else sessionStorage.removeItem(nameOf(agent));
  } catch {
    // A sandboxed frame, or a visitor who allows nothing: then a reload begins anew.
  }
}
