import type { Metrics } from '../../platform/observability/metrics.ts';

/**
 * How long a user waits for a reply, in ms, from the end of their speech to the first audio of the reply. A time that
 * does not apply is null: a written message, for example, has no end of speech.
 */
export type TurnTimes = {
  /**
   * Time from the end of the user's speech until its text is known. Includes the silence after which the turn is over.
   */
  recognitionMs: number | null;
  /** Time from the moment at which the text is known until the first words of the reply arrive. */
  modelMs: number;
  /** Time from the first words of the reply until its first audio is sent. */
  synthesisMs: number;
  /** Time from the end of speech until the first audio of the reply is sent. */
  totalMs: number | null;
};

/** Returns a function that records in the metrics all times that are not null. */
export function createTimesMeter({
  voiceTurnDuration,
}: Pick<Metrics, 'voiceTurnDuration'>): (times: TurnTimes) => void {
  return ({ recognitionMs, modelMs, synthesisMs, totalMs }) => {
    const parts = {
      recognition: recognitionMs,
      model: modelMs,
      synthesis: synthesisMs,
      total: totalMs,
    };
    for (const [part, ms] of Object.entries(parts)) {
      if (ms !== null) voiceTurnDuration.observe({ part }, ms / 1_000);
    }
  };
}

/**
 * Measures the response times of each turn, one turn at a time. If the user interrupts a turn before its first audio,
 * the turn is not reported.
 */
export type TurnClock = {
  /**
   * Starts a turn when the user's text is known. `soundMs` is the time of the user's last sound, or undefined for a
   * written message.
   */
  heard: (soundMs: number | undefined) => void;
  /** Records that the first words of the reply have arrived. */
  said: () => void;
  /** Records that audio is being sent. */
  sounded: () => void;
};

/** Creates a clock. `nowMs` is a monotonic clock. The callback receives the times of each turn once. */
export function createTurnClock({
  nowMs,
  told,
}: {
  nowMs: () => number;
  told: (times: TurnTimes) => void;
}): TurnClock {
  let turn: { soundMs: number | undefined; heardMs: number; saidMs?: number } | undefined;
  return {
    heard: (soundMs) => {
      turn = { soundMs, heardMs: nowMs() };
    },
    said: () => {
      if (turn) turn.saidMs ??= nowMs();
    },
    sounded: () => {
      if (turn?.saidMs === undefined) return;
      const { soundMs, heardMs, saidMs } = turn;
      const at = nowMs();
      turn = undefined;
      told({
        recognitionMs: soundMs === undefined ? null : heardMs - soundMs,
        modelMs: saidMs - heardMs,
        synthesisMs: at - saidMs,
        totalMs: soundMs === undefined ? null : at - soundMs,
      });
    },
  };
}
