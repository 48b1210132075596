/**
 * What a conversation keeps of its turns in `conversations.tally` (jsonb): enough for the rules of
 * escalation, outcome, predicted satisfaction and summary, so that none of them reads the turns
 * again, however many there are. Every list in it is bounded.
 */
export type Tally = {
  userTurns: number;
  /** What the user wanted of us: questions, complaints, a human. Small talk is none. */
  needs: number;
  answered: number;
  unanswered: number;
  /** The last thing the agent said was an answer. */
  answeredLast: boolean;
  /** The last thing the agent said offered to ask a human. */
  offeredHuman: boolean;
  /** Since the last answer; a rule of escalation counts them. */
  unansweredInRow: number;
  /** The same question again. */
  repeats: number;
  complaints: number;
  thanks: number;
  /** The user has said or shown that the last answer was of no use, and nothing better came. */
  isDissatisfied: boolean;
  /** A human was asked for and none came, and nothing was answered since. */
  lacksHuman: boolean;
  /** How the last turns of the user sound, newest last: -5 (bad) to 5 (good). */
  moods: number[];
  escalations: EscalationTally;
  /** Where the last turn ended, ms since the start: the next one does not begin before. */
  endedAtMs: number;
  /** The last questions, newest last: to know one that comes again. */
  recent: AskedQuestion[];
  /** Questions that nobody has answered yet. */
  open: AskedQuestion[];
  /** Of those, how many are no more in `open`, which has a limit. */
  openBeyond: number;
  /** Some of what was answered, for the summary. */
  told: { question: string; from: string }[];
};

export type AskedQuestion = { text: string; words: string[]; isAnswered: boolean };

export type EscalationTally = {
  requested: number;
  accepted: number;
  declined: number;
  timedOut: number;
  /** The longest wait of the user for somebody to accept, in seconds. */
  waitSec: number;
  /** Who accepted last. */
  acceptedBy: string | null;
};

export const EMPTY_TALLY: Tally = {
  userTurns: 0,
  needs: 0,
  answered: 0,
  unanswered: 0,
  answeredLast: false,
  offeredHuman: false,
  unansweredInRow: 0,
  repeats: 0,
  complaints: 0,
  thanks: 0,
  isDissatisfied: false,
  lacksHuman: false,
  moods: [],
  escalations: {
    requested: 0,
    accepted: 0,
    declined: 0,
    timedOut: 0,
    waitSec: 0,
    acceptedBy: null,
  },
  endedAtMs: 0,
  recent: [],
  open: [],
  openBeyond: 0,
  told: [],
};

/** The same without a word of anybody. */
export function withoutWords(tally: Tally): Tally {
  const escalations = { ...tally.escalations, acceptedBy: null };
  return { ...tally, escalations, recent: [], open: [], told: [] };
}

/** Questions nobody has answered. */
export function leftOpen(tally: Tally): number {
  return tally.open.length + tally.openBeyond;
}
