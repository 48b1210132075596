import type { ItemOf } from '../../data/parley.ts';
import { Status, type Tone } from '../../ui/status.tsx';

type Call = ItemOf<'/v1/calls'>;

const TONES: Record<Call['status'], Tone> = {
  queued: 'muted',
  ringing: 'info',
  in_progress: 'info',
  transferring: 'info',
  completed: 'ok',
  busy: 'warn',
  no_answer: 'warn',
  failed: 'bad',
  canceled: 'muted',
};

export const CALL_STATUSES = Object.keys(TONES);

export function CallStatus({ call: { status } }: { call: Pick<Call, 'status'> }) {
  return <Status tone={TONES[status]}>{status.replaceAll('_', ' ')}</Status>;
}
