/**
 * What a conversation keeps of its turns in `conversations.tally` (jsonb): enough for the rules of
 * escalation, outcome, predicted satisfaction and summary, so that none of them reads the turns
 * again, however many there are. Every list in it is bounded. Its keys are stored: they stay.
 */
export type Tally = {
  userTurns: number;
  /** What the user wanted: questions, complaints, a human; not small talk. */
  needs: number;
  answered: number;
  unanswered: number;
  /** The agent's last turn was an answer. */
  answeredLast: boolean;
  /** The agent's last turn offered to ask a human. */
  offeredHuman: boolean;
  /** Since the last answer, for the rule low_confidence. */
  unansweredInRow: number;
  /** Calls of tools that failed, since one that did not; for tool_failure. Absent: of before, 0. */
  toolFailuresInRow?: number;
  /** Tools that were called, in the order of their first calls, with how many calls failed. Absent: of before, none. */
  tools?: TriedTool[];
  /** The same question again. */
  repeats: number;
  complaints: number;
  thanks: number;
  /** The user said or showed that the last answer was of no use, and no better one came. */
  isDissatisfied: boolean;
  /** A human was asked for and none came, and there was no answer since. */
  lacksHuman: boolean;
  /** The user was told that nobody is there to take over. Absent: of before, no. */
  toldClosed?: boolean;
  /** The moods of the user's last turns, newest last: -5 (bad) to 5 (good). */
  moods: number[];
  /** Of all turns of the user, added up. Absent: of before, only `moods` are known. */
  moodSum?: number;
  escalations: EscalationTally;
  /** Where the last turn ended, ms since the start: the next one does not begin before. */
  endedAtMs: number;
  /** The last questions, newest last, to recognize one that comes again. */
  recent: AskedQuestion[];
  /** Questions without an answer yet. */
  open: AskedQuestion[];
  /** How many more there are than fit in `open`, which has a limit. */
  openBeyond: number;
  /** Some of the answered questions, for the summary. */
  told: { question: string; from: string }[];
};

export type TriedTool = { name: string; failed: number };

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

/** The same without anybody's words. */
export function withoutWords(tally: Tally): Tally {
  const escalations = { ...tally.escalations, acceptedBy: null };
  return { ...tally, escalations, recent: [], open: [], told: [] };
}

/** How many questions have no answer. */
export function leftOpen(tally: Tally): number {
  return tally.open.length + tally.openBeyond;
}
