/**
 * Facts about the turns of a conversation, stored in `conversations.tally` (jsonb). The rules for escalation, outcome,
 * predicted satisfaction and summary use only these facts, so that none of them reads the turns again. Every list has a
 * maximum length. The keys are stored, so they must not change.
 */
export type Tally = {
  userTurns: number;
  /** Number of the user's needs: questions, complaints and requests for a human, but not small talk. */
  needs: number;
  answered: number;
  unanswered: number;
  /** Whether the agent's last turn was an answer. */
  answeredLast: boolean;
  /** Whether the agent's last turn offered to request a human. */
  offeredHuman: boolean;
  /** Number of unanswered questions since the last answer, for the rule `low_confidence`. */
  unansweredInRow: number;
  /**
   * Number of failed tool calls since the last successful one, for the rule `tool_failure`. Absent, meaning 0, in
   * tallies that earlier releases stored.
   */
  toolFailuresInRow?: number;
  /**
   * Tools in the order of their first calls, with the number of failed calls. Absent, meaning none, in tallies that
   * earlier releases stored.
   */
  tools?: TriedTool[];
  /** Number of questions that the user repeated. */
  repeats: number;
  complaints: number;
  thanks: number;
  /** Whether the user has said or shown that the last answer did not help, and has received no better answer since. */
  isDissatisfied: boolean;
  /** Whether a human was requested but none came, and no answer has followed since. */
  lacksHuman: boolean;
  /** Whether a human has accepted and has not left. Absent, meaning false, in tallies that earlier releases stored. */
  hasHuman?: boolean;
  /**
   * Whether the user was informed that nobody is available to take over. Absent, meaning false, in tallies that earlier
   * releases stored.
   */
  toldClosed?: boolean;
  /** Moods of the user's last turns, newest last: -5 (bad) to 5 (good). */
  moods: number[];
  /** Sum of the moods of all user turns. Absent in tallies that earlier releases stored; these have only `moods`. */
  moodSum?: number;
  escalations: EscalationTally;
  /** End of the last turn, in ms since the start of the conversation. The next turn does not start before it. */
  endedAtMs: number;
  /** The last questions, newest last. Each new question is compared with them to detect repetitions. */
  recent: AskedQuestion[];
  /** Questions that have no answer yet. */
  open: AskedQuestion[];
  /** Number of unanswered questions that did not fit into the list `open`. */
  openBeyond: number;
  /**
   * Some of the answered questions, for the summary. `from` is the heading of the passage that answered the question.
   */
  told: { question: string; from: string }[];
  /**
   * The last messages that were neither answered nor stored in `open`, newest last: requests for a human, complaints
   * and remarks. An answer removes them. Absent, meaning none, in tallies that earlier releases stored.
   */
  said?: string[];
  /**
   * Model usage of the turns and of the judgement. Absent if no model was used, and in tallies that earlier releases
   * stored.
   */
  usage?: UsageTally;
};

export type UsageTally = {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  /** Costs by currency. Requests without prices are not included. */
  costs: Record<string, number>;
};

/** Usage of one model reply, as turns and judgements store it. */
type Used = {
  usage: { input_tokens: number; output_tokens: number; cached_input_tokens: number };
  cost: { amount: number; currency: string } | null;
};

export type TriedTool = { name: string; failed: number };

export type AskedQuestion = { text: string; words: string[]; isAnswered: boolean };

export type EscalationTally = {
  requested: number;
  accepted: number;
  declined: number;
  timedOut: number;
  /** Longest time that the user waited for somebody to accept, in seconds. */
  waitSec: number;
  /** Name of the last human agent who accepted an escalation. */
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

/** Returns the tally without any text from the conversation. */
export function withoutWords(tally: Tally): Tally {
  const escalations = { ...tally.escalations, acceptedBy: null };
  return { ...tally, escalations, recent: [], open: [], told: [], said: [] };
}

const NO_USAGE: UsageTally = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, costs: {} };

/** Adds the usage of replies to the tally. */
export function countUsage(tally: Tally, replies: readonly Used[]): Tally {
  if (replies.length === 0) return tally;
  return { ...tally, usage: replies.reduce(addUsage, tally.usage ?? NO_USAGE) };
}

function addUsage(sum: UsageTally, { usage, cost }: Used): UsageTally {
  return {
    inputTokens: sum.inputTokens + usage.input_tokens,
    outputTokens: sum.outputTokens + usage.output_tokens,
    cachedInputTokens: sum.cachedInputTokens + usage.cached_input_tokens,
    costs: cost ? { ...sum.costs, [cost.currency]: addCost(sum, cost) } : sum.costs,
  };
}

/** Adds an amount and rounds the sum to a millionth of a cent, like other costs (src/models/usage.ts). */
function addCost({ costs }: UsageTally, { amount, currency }: NonNullable<Used['cost']>): number {
  return Math.round(((costs[currency] ?? 0) + amount) * 100_000_000) / 100_000_000;
}

/** Returns true if a human has taken over and speaks instead of the agent. */
export function isTakenOver({ status, tally }: { status: string; tally: Tally }): boolean {
  return status === 'escalated' && tally.hasHuman === true;
}

/** Returns the number of questions without an answer. */
export function leftOpen(tally: Tally): number {
  return tally.open.length + tally.openBeyond;
}
