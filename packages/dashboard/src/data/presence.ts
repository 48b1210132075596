import { useEffect } from 'react';
import { isCode, ok, parley } from './parley.ts';

/**
 * Heartbeats for the escalations that were accepted in this tab. They are sent while the tab is open, on any page. If
 * the tab is closed or the machine sleeps, the heartbeats stop, and Parley requests another human agent.
 */

/**
 * Time in seconds without a heartbeat after which Parley requests another human agent. It is more than a minute,
 * because browsers may wake a background tab only once per minute.
 */
export const HEARTBEAT_SEC = 150;
const EVERY_MS = 20_000;
const KEPT = 'parley-present';

type Present = Readonly<Record<string, string>>;

/**
 * Returns the escalations that were accepted in this tab. Each escalation ID maps to the ID of the human agent who
 * accepted it. The data is kept in session storage, so that it survives a reload of the tab.
 */
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

/**
 * Sends the heartbeats. Call this hook once per tab. A failed heartbeat is not repeated, because the timer soon sends
 * the next one.
 */
export function usePresence(): void {
  useEffect(() => {
    const timer = setInterval(() => void beat(), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
}
