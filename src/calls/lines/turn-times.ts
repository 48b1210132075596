import type { Metrics } from '../../platform/observability/metrics.ts';

/**
 * How long a user waits for an answer, from the end of what they said to the first sound of the reply. ms; null: it
 * does not apply, as nothing was spoken.
 */
export type TurnTimes = {
  /** From the end of speech to its text, the wait for more of it included. */
  recognitionMs: number | null;
  /** From the text to the first words of the reply. */
  modelMs: number;
  /** From its first words to the first sound that is sent. */
  synthesisMs: number;
  /** From the end of speech to that sound. */
  totalMs: number | null;
};

/** Counts them; what does not apply is not counted. */
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

/** Follows one turn after the other; what a turn was interrupted in is not told. */
export type TurnClock = {
  /** The user's turn is there; `soundMs`: when the last sound of it was heard, undefined: it was written. */
  heard: (soundMs: number | undefined) => void;
  /** Words of a reply are to be said. */
  said: () => void;
  /** Sound is sent. */
  sounded: () => void;
};

/** `nowMs`: a monotonic clock. `told`: once for a turn. */
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
