import { useEffect, useEffectEvent, useRef } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { alerts, hasActedOn } from '../data/alerts.ts';
import type { Escalation } from '../data/escalations.ts';
import { playTone, wakeSound } from '../data/tone.ts';

const GESTURES = ['pointerdown', 'keydown'] as const;

/**
 * Plays a tone and shows a notification, if enabled, when a new escalation is waiting for a human agent. Ignores
 * escalations that were already waiting when the page was opened. Also ignores escalations of conversations that the
 * signed-in person has just changed in this tab (`actedOn`).
 */
export function useWaitingAlerts(waiting: readonly Escalation[] | undefined): void {
  const known = useRef<ReadonlySet<string>>(undefined);
  const navigate = useNavigate();
  const tell = useEffectEvent((escalation: Escalation) => {
    if (hasActedOn(escalation.conversation_id)) return;
    void onceATab(escalation.id, () => {
      if (alerts().sound) playTone();
    });
    if (alerts().notification && !document.hasFocus()) {
      notify(escalation, () => void navigate({ to: `/escalations/${escalation.id}` }));
    }
  });
  useEffect(() => {
    if (!waiting) return;
    const before = known.current;
    known.current = new Set(waiting.map(({ id }) => id));
    if (!before) return;
    // If several escalations arrive together, one tone is enough.
    const news = waiting.find(({ id }) => !before.has(id));
    if (news) tell(news);
  }, [waiting]);
  useEffect(() => {
    const wake = (): void => {
      if (alerts().sound) wakeSound();
    };
    for (const gesture of GESTURES) window.addEventListener(gesture, wake);
    return () => {
      for (const gesture of GESTURES) window.removeEventListener(gesture, wake);
    };
  }, []);
}

function notify({ id, reason }: Escalation, onClick: () => void): void {
  // All open tabs use the same `tag`, so the browser shows only one notification. The notification omits the user's
  // messages, because passers-by could read them.
  const shown = new Notification('A user is waiting for a human agent', {
    body: reason.replaceAll('_', ' '),
    tag: id,
  });
  shown.addEventListener('click', () => {
    window.focus();
    onClick();
    shown.close();
  });
}

const HELD_MS = 2_000;

/**
 * Runs `act` in only one of this browser's open tabs: the first that requests the lock. This tab holds the lock for two
 * seconds, so that slightly slower tabs do not get it.
 */
async function onceATab(name: string, act: () => void): Promise<void> {
  await navigator.locks.request(`parley-${name}`, { ifAvailable: true }, async (lock) => {
    if (!lock) return;
    act();
    await new Promise((done) => setTimeout(done, HELD_MS));
  });
}
