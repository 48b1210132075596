/** What became of a conversation (contract §4). */
export const OUTCOMES = [
  'resolved',
  'unresolved',
  'escalated',
  'abandoned',
  'voicemail',
  'failed',
  'unknown',
] as const;

export type Outcome = (typeof OUTCOMES)[number];
