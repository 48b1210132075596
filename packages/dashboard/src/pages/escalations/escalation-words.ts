import type { Escalation } from '../../data/escalations.ts';
import type { Tone } from '../../ui/status.tsx';

export const LABELS: Record<Escalation['status'], { name: string; tone: Tone }> = {
  requested: { name: 'waiting', tone: 'warn' },
  accepted: { name: 'accepted', tone: 'info' },
  declined: { name: 'declined', tone: 'muted' },
  timed_out: { name: 'timed out', tone: 'bad' },
  completed: { name: 'completed', tone: 'ok' },
  canceled: { name: 'canceled', tone: 'muted' },
};
