import { useEffect } from 'react';
import { isCode, ok, parley } from './parley.ts';

/**
 * Whoever accepted an escalation here is there as long as this tab is open: it says so, whatever page it
 * shows. A tab that is closed, or a machine that sleeps, says nothing, and somebody else is asked for.
 */

/** More than the minute at which browsers wake a tab that nobody looks at. */
export const HEARTBEAT_SEC = 150;
const EVERY_MS = 20_000;
const KEPT = 'parley-present';

type Present = Readonly<Record<string, string>>;

/** By escalation who has it; kept while the tab is reloaded. */
function read(): Present {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT) ?? '{}') as Present;
  } catch {
    return {};
  }
}

function write(present: Present): void {
  sessionStorage.setItem(KEPT, JSON.stringify(present));
}

export function keepPresent(escalationId: string, by: string): void {
  write({ ...read(), [escalationId]: by });
}

function forget(escalationId: string): void {
  const { [escalationId]: _, ...others } = read();
  write(others);
}

const OVER = ['already_accepted', 'escalation_not_accepted', 'escalation_closed', 'not_found'];

async function beat(): Promise<void> {
  for (const [id, by] of Object.entries(read())) {
    const params = { path: { id } };
    await ok(parley.POST('/v1/escalations/{id}/heartbeat', { params, body: { by } })).catch(
      (error: unknown) => {
        if (OVER.some((code) => isCode(error, code))) forget(id);
      },
    );
  }
}

/** Once in a tab. One that cannot be said is said by the next. */
export function usePresence(): void {
  useEffect(() => {
    const timer = setInterval(() => void beat(), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
}
