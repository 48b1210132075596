import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, reasonOf } from '../../errors.ts';
import { newUuid } from '../../ids.ts';
import type { Followed, Followers } from '../../conversations/follow-conversation.ts';
import type { ConversationDeps } from '../../conversations/record/conversation-deps.ts';
import { markHeard, type MessageResult, type TurnRow } from '../../conversations/record/turns.sql.ts';
import type { TakeTurn } from '../../conversations/turns/take-turn.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { finishCall } from '../calls.sql.ts';
import { createDigits } from './digits.ts';
import { createMouth } from './mouth.ts';
import type { Line, LineEvent } from './line.ts';
import type { Utterance } from './spoken.ts';
import words from './line-words.json' with { type: 'json' };

export type TalkDeps = ConversationDeps & {
  takeTurn: TakeTurn;
  followers: Pick<Followers, 'open'>;
  log: Logger;
};

/** A conversation on a line: what is heard becomes turns, and every turn of others is said. */
export type Talk = {
  on: (event: LineEvent) => void;
  /** Nobody hears any more. What is under way is finished and stored; nothing is said. */
  leave: () => void;
  /** Resolves when the conversation has ended and what it ended with had its time to be heard. */
  over: Promise<void>;
};

export type TalkInput = {
  callId: string;
  namespace: string;
  conversationId: string;
  language: string | undefined;
  line: Line;
  /** Index of the last turn that needs not be said, -1: none; null: none that is there yet. */
  saidTo: number | null;
};

/** Between two tries of a turn that could not be stored, ms; and what the user is told meanwhile. */
const RETRY_MS = 500;
const MOMENT_EVERY_MS = 15_000;

/**
 * Holds the conversation. The first turn and what people say come from the transcript, as everybody reads it;
 * replies to the user are said as they are made. While the database is away the user is told to wait, and
 * what they said is stored when it is back.
 */
export function holdTalk(deps: TalkDeps, input: TalkInput): Talk {
  const { conversationId, namespace, line } = input;
  const mouth = createMouth(line);
  const say = words[input.language?.startsWith('de') ? 'de' : 'en'];
  const gone = new AbortController();
  /** Turns that were said as they were made. */
  const own = new Set<number>();
  /** Index of the last turn that was told of; null: all before this line was opened. */
  let said = input.saidTo;
  let inHand: Promise<void> = Promise.resolve();
  let reply: { utterance: Utterance; canceling: AbortController } | undefined;
  const digits = createDigits(hear);

  function hear(text: string): void {
    reply?.canceling.abort();
    mouth.heardAll();
    const before = inHand;
    // Begun at once, since a newer message cancels the reply before it.
    const turn = take(text);
    inHand = Promise.all([before, turn]).then(() => undefined);
  }

  async function take(text: string): Promise<void> {
    const utterance = mouth.begin();
    const canceling = new AbortController();
    const mine = { utterance, canceling };
    reply = mine;
    const onToken = (token: string): void => mouth.say(utterance, token);
    const { signal } = canceling;
    try {
      const about = { namespace, conversationId, text, onToken, signal };
      const result = await untilStored(about, (db, after) => settle(db, utterance, after));
      for (const turn of spokenIn(result)) {
        own.add(turn.index);
        mouth.finish(utterance, turn);
      }
    } catch (error) {
      // It ended meanwhile: who follows it is told so.
      if (!(error instanceof ApiError)) throw error;
    } finally {
      mouth.end(utterance);
      if (reply === mine) reply = undefined;
    }
    if (utterance.heard !== undefined) await keepHeard([utterance]);
  }

  /** Until it is stored, or will never be. @throws ApiError conversation_ended, not_found */
  async function untilStored(
    about: Omit<Parameters<TakeTurn>[0], 'request'>,
    beforeCommit: (db: Db, after: MessageResult) => Promise<void>,
  ): Promise<MessageResult> {
    const id = newUuid(deps.nowMs());
    let toldMs = -Infinity;
    for (let tries = 0; ; tries += 1) {
      try {
        return await deps.takeTurn({ ...about, request: { id, isRetry: tries > 0 } }, beforeCommit);
      } catch (error) {
        const isFinal = error instanceof ApiError && error.status < 500 && error.code !== 'write_conflict';
        if (isFinal || gone.signal.aborted) throw error;
        deps.log.warn({ reason: reasonOf(error), conversationId }, 'a turn of a call is tried again');
        if (performance.now() - toldMs > MOMENT_EVERY_MS) {
          toldMs = performance.now();
          mouth.aside(say.moment);
        }
        await delay(RETRY_MS, undefined, { signal: gone.signal }).catch(() => undefined);
      }
    }
  }

  /** In the transaction of the turn: what was heard of it by now, and the end of the call with its own. */
  async function settle(db: Db, utterance: Utterance, after: MessageResult): Promise<void> {
    const [turn] = spokenIn(after);
    if (turn) utterance.index = turn.index;
    const { index, heard } = utterance;
    if (index !== undefined && heard !== undefined) await markHeard(db, { conversationId, index, heard });
    const { endedAt, endedReason } = after.conversation;
    if (endedAt === null || endedReason === null) return;
    await finishCall(db, { id: input.callId, from: ['in_progress'], status: 'completed', reason: endedReason });
  }

  async function keepHeard(cut: readonly Utterance[]): Promise<void> {
    for (const { index, heard } of cut) {
      if (index === undefined || index < 0 || heard === undefined) continue;
      await markHeard(deps.pool, { conversationId, index, heard });
      deps.changed(conversationId);
    }
  }

  /** What is said comes from the transcript in its order, but for what was said already. */
  async function follow(): Promise<void> {
    for (;;) {
      try {
        const read = await deps.followers.open({ namespace, id: conversationId, after: said });
        for await (const followed of read(gone.signal)) await tell(followed);
        return;
      } catch (error) {
        if (gone.signal.aborted || isOver(error)) return;
        deps.log.warn({ reason: reasonOf(error), conversationId }, 'a call is followed again');
        await delay(RETRY_MS, undefined, { signal: gone.signal }).catch(() => undefined);
      }
    }
  }

  async function tell(followed: Followed): Promise<void> {
    if (followed.type === 'conversation') return;
    const { turn } = followed;
    said = turn.index;
    if (turn.role !== 'agent' && turn.role !== 'human') return;
    // One of ours is told of here before we know its index.
    if (turn.role === 'agent') await inHand.catch(() => undefined);
    if (!own.delete(turn.index) && turn.text !== '') mouth.whole(turn);
  }

  const over = follow().then(async () => {
    await inHand.catch(() => undefined);
    if (!gone.signal.aborted) await mouth.untilHeard(gone.signal);
  });

  return {
    on: (event) => {
      if (event.type === 'heard') hear(event.text);
      else if (event.type === 'digit') digits.press(event.digit);
      else {
        reply?.canceling.abort();
        keepHeard(mouth.interrupted(event.heard)).catch((error: unknown) =>
          deps.log.error({ reason: reasonOf(error), conversationId }, 'what was heard could not be noted'),
        );
      }
    },
    leave: () => {
      digits.stop();
      mouth.close();
      gone.abort();
    },
    over,
  };
}

const spokenIn = ({ turns }: MessageResult): TurnRow[] => turns.filter(({ role }) => role === 'agent');

function isOver(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'not_found';
}

