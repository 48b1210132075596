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
import { ANSWERED, finishCall } from '../calls.sql.ts';
import type { Captions } from './captions.ts';
import type { Mouth } from './mouth.ts';
import type { Utterance } from './spoken.ts';

export type TurnTakerDeps = ConversationDeps & { takeTurn: TakeTurn; log: Logger };

export type TurnTakerInput = {
  /** That ends with the conversation; undefined: it is in writing. */
  callId?: string | undefined;
  namespace: string;
  conversationId: string;
  mouth: Mouth;
  /** Said while what the user said cannot be stored. */
  moment: string;
  captions?: Captions | undefined;
  /** Aborted: nobody hears any more. */
  gone: AbortSignal;
};

/** What the user says becomes turns, and the replies are said as they are made. */
export type TurnTaker = {
  /** Settles when the turn is stored, or will never be. Never rejects. */
  hear: (text: string) => Promise<void>;
  /** Whether a reply is under way that is wanted. */
  isReplying: () => boolean;
  /** The reply under way is not wanted any more. */
  cancel: () => void;
  /** Keeps of turns that were cut what was heard of them. */
  keepHeard: (cut: readonly Utterance[]) => Promise<void>;
  /** Whether a turn was said as it was made; asked once for each. */
  wasSaid: (index: number) => boolean;
  /** Resolves when nothing is under way. */
  idle: () => Promise<void>;
};

/** Maximum number of turns in progress or waiting. A user does not say so many while one turn is stored. */
const IN_HAND_MAX = 50;
/** Between two tries of a turn that could not be stored, ms; and what the user is told meanwhile. */
const RETRY_MS = 500;
const MOMENT_EVERY_MS = 15_000;

export function createTurnTaker(deps: TurnTakerDeps, input: TurnTakerInput): TurnTaker {
  const { conversationId, namespace, mouth } = input;
  const keepHeard = async (cut: readonly Utterance[]): Promise<void> => {
    for (const utterance of cut) await keep(deps, input, utterance);
  };
  const said = new Set<number>();
  let inHand: Promise<void> = Promise.resolve();
  let canceling: AbortController | undefined;
  let inHandCount = 0;
  /** Turns that wait for the database: who comes after one is stored after it. */
  let waiting = 0;
  /** Settles when the last turn so far is stored, or will never be. */
  let stored: Promise<unknown> = Promise.resolve();

  /** Begins a turn once the one before it is stored. Drops the turn and returns undefined if the line has ended by then. */
  function inOrder<T>(begin: () => Promise<T>): Promise<T | undefined> {
    const result = stored.then(() => (input.gone.aborted ? undefined : begin()));
    stored = result.catch(() => undefined);
    return result;
  }

  /** `before`: settles with the turns before it. */
  async function take(text: string, before: Promise<void>): Promise<void> {
    if (waiting > 0) await before;
    const utterance = mouth.begin();
    const mine = new AbortController();
    canceling = mine;
    const onToken = (token: string, _: boolean, turnCount: number): void => {
      if (!input.gone.aborted) input.captions?.token(token, turnCount);
      mouth.say(utterance, token);
    };
    try {
      const about = { namespace, conversationId, text, onToken, signal: mine.signal };
      const settle = (db: Db, after: MessageResult) => settleTurn(input, utterance, db, after);
      const waits = async (ready: Promise<unknown>): Promise<void> => {
        waiting += 1;
        await Promise.all([ready, before]);
        waiting -= 1;
      };
      const result = await inOrder(() => untilStored(deps, { ...input, waits }, about, settle));
      for (const turn of result ? spokenIn(result) : []) {
        said.add(turn.index);
        mouth.finish(utterance, turn);
      }
    } catch (error) {
      // It ended meanwhile: who follows it is told so.
      if (!(error instanceof ApiError)) throw error;
    } finally {
      mouth.end(utterance);
      if (canceling === mine) canceling = undefined;
    }
    // Once more, for what was cut between the commit and now.
    await keepHeard([utterance]);
  }

  return {
    hear: async (text) => {
      if (inHandCount >= IN_HAND_MAX) {
        deps.log.warn({ conversationId }, 'what a user said is dropped: too many turns wait');
        return;
      }
      inHandCount += 1;
      canceling?.abort();
      mouth.heardAll();
      const before = inHand;
      // Begun at once, since a newer message cancels the reply before it.
      const turn = take(text, before).catch((error: unknown) => {
        deps.log.error({ reason: reasonOf(error), conversationId }, 'a turn of a call failed');
      });
      inHand = Promise.all([before, turn]).then(() => undefined);
      await turn;
      inHandCount -= 1;
    },
    isReplying: () => canceling?.signal.aborted === false,
    cancel: () => canceling?.abort(),
    keepHeard,
    wasSaid: (index) => said.delete(index),
    idle: () => inHand,
  };
}

/** `waits`: until it is tried again, which those after it wait for. */
type Waiting = TurnTakerInput & { waits: (ready: Promise<unknown>) => Promise<void> };

/** Until it is stored, or will never be. @throws ApiError conversation_ended, not_found */
async function untilStored(
  deps: TurnTakerDeps,
  { conversationId, gone, mouth, moment, waits }: Waiting,
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
      deps.log.warn({ reason: reasonOf(error), conversationId }, 'a turn of a call is tried again');
      if (monotonicMs() - toldMs > MOMENT_EVERY_MS) {
        toldMs = monotonicMs();
        mouth.aside(moment);
      }
      await waits(delay(RETRY_MS, { signal: gone }).catch(() => undefined));
    }
  }
}

/** Notes what was heard of a turn; while somebody hears it is tried again, however long the database is away. */
async function keep(
  deps: TurnTakerDeps,
  { conversationId, captions, gone }: TurnTakerInput,
  utterance: Utterance,
): Promise<void> {
  for (;;) {
    const { index, heard } = utterance;
    if (index === undefined || index < 0 || heard === undefined) return;
    try {
      await markHeard(deps.pool, { conversationId, index, heard });
    } catch (error) {
      if (gone.aborted) throw error;
      deps.log.warn({ reason: reasonOf(error), conversationId }, 'what was heard is noted again');
      await delay(RETRY_MS, { signal: gone }).catch(() => undefined);
      continue;
    }
    captions?.cut({ index, heard });
    deps.changed(conversationId);
    // It may be known better meanwhile, and what is written last stays.
    if (utterance.heard === heard) return;
  }
}

/** In the transaction of the turn: what was heard of it by now, and the end of the call with its own. */
async function settleTurn(
  { callId, conversationId }: TurnTakerInput,
  utterance: Utterance,
  db: Db,
  after: MessageResult,
): Promise<void> {
  const [turn] = spokenIn(after);
  if (turn) utterance.index = turn.index;
  const { index, heard } = utterance;
  if (index !== undefined && heard !== undefined) {
    await markHeard(db, { conversationId, index, heard });
  }
  const { endedAt, endedReason: reason } = after.conversation;
  if (callId === undefined || endedAt === null || reason === null) return;
  await finishCall(db, { id: callId, from: ANSWERED, status: 'completed', reason });
}

const spokenIn = ({ turns }: MessageResult): TurnRow[] =>
  turns.filter(({ role }) => role === 'agent');
