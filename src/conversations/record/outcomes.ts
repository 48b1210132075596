/** Outcomes of conversations (contract/conversations.md#ending). */
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
