import { delay, monotonicMs } from '../../clock.ts';
import { ApiError, reasonOf } from '../../errors.ts';
import { newUuid } from '../../ids.ts';
import type { ConversationDeps } from '../../conversations/record/conversation-deps.ts';
import {
  markHeard,
  type MessageResult,
  type TurnRow,
} from '../../conversations/record/turns.sql.ts';
import type { TakeTurn } from '../../conversations/turns/take-turn.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import type { Captions } from './captions.ts';
import type { Playout } from '../playout/playout.ts';
import type { Segment } from '../playout/segment.ts';

export type TurnTakerDeps = ConversationDeps & { takeTurn: TakeTurn; log: Logger };

export type TurnTakerInput = {
  /**
   * Ends the call when a turn ends the conversation. Called in the transaction of that turn. Undefined for a written
   * conversation.
   */
  onEnd?: ((db: Db, reason: string) => Promise<unknown>) | undefined;
  namespace: string;
  conversationId: string;
  playout: Playout;
  /** Sentence that asks the user to wait. Spoken while the user's words cannot be stored. */
  moment: string;
  captions?: Captions | undefined;
  /** Aborted when the user has left. */
  gone: AbortSignal;
};

/** Stores the user's words as turns, and speaks the replies as the model generates them. */
export type TurnTaker = {
  /**
   * Stores the user's words as a turn and speaks the reply. Settles when the turn has been stored or dropped. Never
   * rejects.
   */
  hear: (text: string) => Promise<void>;
  /** Returns whether a reply is being generated and has not been canceled. */
  isReplying: () => boolean;
  /** Cancels the reply that is being generated. */
  cancel: () => void;
  /** Stores the played part of each interrupted turn. */
  keepPlayed: (cut: readonly Segment[]) => Promise<void>;
  /** Returns whether a turn was spoken as it was generated. Call this once per turn, because it deletes the record. */
  wasSaid: (index: number) => boolean;
  /** Resolves when no turn is in progress. */
  idle: () => Promise<void>;
};

/**
 * Maximum number of turns in progress or waiting; further utterances are dropped. Users do not say that much while one
 * turn is being stored.
 */
const IN_HAND_MAX = 50;
/**
 * Intervals in ms: between attempts to store a turn (`RETRY_MS`), and between spoken requests to wait
 * (`MOMENT_EVERY_MS`).
 */
const RETRY_MS = 500;
const MOMENT_EVERY_MS = 15_000;

export function createTurnTaker(deps: TurnTakerDeps, input: TurnTakerInput): TurnTaker {
  const { conversationId, namespace, playout } = input;
  const keepPlayed = async (cut: readonly Segment[]): Promise<void> => {
    for (const segment of cut) await keep(deps, input, segment);
  };
  const said = new Set<number>();
  let inHand: Promise<void> = Promise.resolve();
  let canceling: AbortController | undefined;
  let inHandCount = 0;
  /**
   * Number of turns waiting for the database. While it is not 0, a new turn waits until all earlier turns are finished.
   */
  let waiting = 0;
  /** Settles when the most recent turn has been stored or dropped. */
  let stored: Promise<unknown> = Promise.resolve();

  /**
   * Begins a turn once the previous one is stored. If the user has left by then, drops the turn and returns undefined.
   */
  function inOrder<T>(begin: () => Promise<T>): Promise<T | undefined> {
    const result = stored.then(() => (input.gone.aborted ? undefined : begin()));
    stored = result.catch(() => undefined);
    return result;
  }

  /** Stores a turn and speaks its reply. `before` settles when the earlier turns are finished. */
  async function take(text: string, before: Promise<void>): Promise<void> {
    if (waiting > 0) await before;
    const segment = playout.begin();
    const mine = new AbortController();
    canceling = mine;
    const onToken = (token: string, _: boolean, turnCount: number): void => {
      if (!input.gone.aborted) input.captions?.token(token, turnCount);
      playout.say(segment, token);
    };
    try {
      const about = { namespace, conversationId, text, onToken, signal: mine.signal };
      const settle = (db: Db, after: MessageResult) => settleTurn(input, segment, db, after);
      const waits = async (ready: Promise<unknown>): Promise<void> => {
        waiting += 1;
        await Promise.all([ready, before]);
        waiting -= 1;
      };
      const result = await inOrder(() => untilStored(deps, { ...input, waits }, about, settle));
      for (const turn of result ? spokenIn(result) : []) {
        said.add(turn.index);
        playout.finish(segment, turn);
      }
    } catch (error) {
      // An `ApiError` means that the conversation has ended. The session reads the end of the conversation from the
      // transcript, so there is nothing to do here.
      if (!(error instanceof ApiError)) throw error;
    } finally {
      playout.end(segment);
      if (canceling === mine) canceling = undefined;
    }
    // Stores the played part again, because the reply may have been interrupted after the commit.
    await keepPlayed([segment]);
  }

  return {
    hear: async (text) => {
      if (inHandCount >= IN_HAND_MAX) {
        deps.log.warn({ conversationId }, 'dropped an utterance: too many turns are waiting');
        return;
      }
      inHandCount += 1;
      canceling?.abort();
      playout.confirmPlayed();
      const before = inHand;
      // Begins immediately, although the previous turn may still be in progress: its reply was canceled above.
      const turn = take(text, before).catch((error: unknown) => {
        deps.log.error({ reason: reasonOf(error), conversationId }, 'a turn in a call failed');
      });
      inHand = Promise.all([before, turn]).then(() => undefined);
      await turn;
      inHandCount -= 1;
    },
    isReplying: () => canceling?.signal.aborted === false,
    cancel: () => canceling?.abort(),
    keepPlayed,
    wasSaid: (index) => said.delete(index),
    idle: () => inHand,
  };
}

/**
 * Input of a turn. `waits` resolves when `ready` has settled and all earlier turns are finished. A later turn that
 * begins in the meantime waits until this turn is finished.
 */
type Waiting = TurnTakerInput & { waits: (ready: Promise<unknown>) => Promise<void> };

/**
 * Tries to store a turn until it is stored, or until an error shows that it cannot be stored.
 * @throws ApiError conversation_ended, not_found
 */
async function untilStored(
  deps: TurnTakerDeps,
  { conversationId, gone, playout, moment, waits }: Waiting,
  about: Omit<Parameters<TakeTurn>[0], 'request'>,
  beforeCommit: (db: Db, after: MessageResult) => Promise<void>,
): Promise<MessageResult> {
  const id = newUuid(deps.nowMs());
  let toldMs = -Infinity;
  for (let tries = 0; ; tries += 1) {
    try {
      return await deps.takeTurn({ ...about, request: { id, isRetry: tries > 0 } }, beforeCommit);
    } catch (error) {
      const isFinal =
        error instanceof ApiError && error.status < 500 && error.code !== 'write_conflict';
      if (isFinal || gone.aborted) throw error;
      deps.log.warn(
        { reason: reasonOf(error), conversationId },
        'a turn in a call failed; retrying',
      );
      if (monotonicMs() - toldMs > MOMENT_EVERY_MS) {
        toldMs = monotonicMs();
        playout.aside(moment);
      }
      await waits(delay(RETRY_MS, { signal: gone }).catch(() => undefined));
    }
  }
}

/** Stores the played part of a turn. While the database is unavailable, retries until the user has left. */
async function keep(
  deps: TurnTakerDeps,
  { conversationId, captions, gone }: TurnTakerInput,
  segment: Segment,
): Promise<void> {
  for (;;) {
    const { index, playedText } = segment;
    if (index === undefined || playedText === undefined) return;
    try {
      await markHeard(deps.pool, { conversationId, index, heard: playedText });
    } catch (error) {
      if (gone.aborted) throw error;
      deps.log.warn(
        { reason: reasonOf(error), conversationId },
        'storing the played part of a reply failed; retrying',
      );
      await delay(RETRY_MS, { signal: gone }).catch(() => undefined);
      continue;
    }
    captions?.cut({ index, playedText });
    deps.changed(conversationId);
    // A better estimate may have replaced the text while it was being stored. In that case, the loop stores the new
    // text.
    if (segment.playedText === playedText) return;
  }
}

/**
 * Stores the played part of a turn, and ends the call if the turn ended the conversation. Runs in the transaction of
 * the turn.
 */
async function settleTurn(
  { conversationId, onEnd }: TurnTakerInput,
  segment: Segment,
  db: Db,
  after: MessageResult,
): Promise<void> {
  const [turn] = spokenIn(after);
  if (turn) segment.index = turn.index;
  const { index, playedText } = segment;
  if (index !== undefined && playedText !== undefined) {
    await markHeard(db, { conversationId, index, heard: playedText });
  }
  const { endedAt, endedReason: reason } = after.conversation;
  if (endedAt !== null && reason !== null) await onEnd?.(db, reason);
}

const spokenIn = ({ turns }: MessageResult): TurnRow[] =>
  turns.filter(({ role }) => role === 'agent');
