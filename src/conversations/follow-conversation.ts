import { ApiError, found } from '../errors.ts';
import { createKeyWaiters, type KeyWaiters } from '../platform/controller/key-waiters.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { readConversation, type ConversationRow } from './record/conversations.sql.ts';
import { listTurns, type TurnRow } from './record/turns.sql.ts';

/** What somebody who follows a conversation is told. */
export type Followed =
  | { type: 'turn'; turn: TurnRow }
  | { type: 'conversation'; conversation: ConversationRow };

/** Conversations as they go on, for any number of readers in this process (contract §4). */
export type Followers = {
  /** @throws ApiError not_found, unavailable (stopping) */
  open: (input: {
    namespace: string;
    id: string;
    /** Index of the last turn that is known, -1: none; null: turns from now on. */
    after: number | null;
  }) => Promise<(signal: AbortSignal) => AsyncGenerator<Followed>>;
  wake: KeyWaiters['wake'];
  /** Ends all readers and opens no more. */
  stop: () => void;
};

/** Turns read at once. */
const PAGE = 50;
/** In case a wake-up is lost. */
const POLL_MS = 5_000;

type Position = { namespace: string; id: string; from: number };

export function createFollowers({ pool }: { pool: Pool }): Followers {
  const waiters = createKeyWaiters();
  const stopping = new AbortController();

  /** Turns in their order, then the status if it is another; the end is the last of all. */
  async function* follow(at: Position, signal: AbortSignal): AsyncGenerator<Followed> {
    let { from } = at;
    let status: ConversationRow['status'] | undefined;
    while (!signal.aborted) {
      // Before it is read: what happens from here on wakes.
      const woken = waiters.untilWoken(at.id, POLL_MS, signal);
      const conversation = found(await readConversation(pool, at), 'conversation');
      while (from < conversation.turnCount && !signal.aborted) {
        const page = { conversationId: at.id, from, limit: PAGE };
        for (const turn of await listTurns(pool, page)) {
          yield { type: 'turn', turn };
          from = turn.index + 1;
        }
      }
      if (conversation.status !== status) yield { type: 'conversation', conversation };
      ({ status } = conversation);
      if (conversation.endedAt !== null) return;
      await woken;
    }
  }

  return {
    open: async ({ namespace, id, after }) => {
      if (stopping.signal.aborted) {
        const detail = 'this process stops; another one serves you';
        throw new ApiError('unavailable', detail, { retryAfterSec: 5 });
      }
      const row = found(await readConversation(pool, { namespace, id }), 'conversation');
      const from = after === null ? row.turnCount : after + 1;
      return (signal) =>
        follow({ namespace, id, from }, AbortSignal.any([signal, stopping.signal]));
    },
    wake: waiters.wake,
    stop: () => stopping.abort(),
  };
}
