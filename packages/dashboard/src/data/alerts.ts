import { useSyncExternalStore } from 'react';

/**
 * How this browser alerts people to a waiting escalation, in addition to the count in the navigation. Both alerts are
 * off by default. The choice is kept in local storage.
 */
export type Alerts = { sound: boolean; notification: boolean };

const KEY = 'parley-alerts';
const NONE: Alerts = { sound: false, notification: false };

let chosen = read();
const listeners = new Set<() => void>();

export function useAlerts(): [Alerts, (changed: Partial<Alerts>) => void] {
  return [useSyncExternalStore(subscribe, alerts), choose];
}

export function alerts(): Alerts {
  return chosen;
}

function choose(changed: Partial<Alerts>): void {
  window.localStorage.setItem(KEY, JSON.stringify({ ...chosen, ...changed }));
  reread();
}

function reread(): void {
  chosen = read();
  for (const listener of listeners) listener();
}

// Browsers send this event when another tab has changed the choice.
window.addEventListener('storage', ({ key }) => {
  if (key === KEY) reread();
});

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function read(): Alerts {
  try {
    const kept = JSON.parse(window.localStorage.getItem(KEY) ?? '{}') as Partial<Alerts>;
    return {
      sound: kept.sound === true,
      // The user may have revoked the permission in the browser's settings since the choice was made.
      notification: kept.notification === true && Notification.permission === 'granted',
    };
  } catch {
    return NONE;
  }
}

const ACTED_MS = 15_000;
const acted = new Map<string, number>();

/**
 * Records that the signed-in person has just changed the conversation. For the next 15 seconds, its escalations raise
 * no alert in this tab.
 */
export function actedOn(conversationId: string): void {
  acted.set(conversationId, Date.now());
}

export function hasActedOn(conversationId: string): boolean {
  return Date.now() - (acted.get(conversationId) ?? 0) < ACTED_MS;
}
