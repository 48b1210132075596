import { ApiError, found } from '../errors.ts';
import { createKeyWaiters, type KeyWaiters } from '../platform/controller/key-waiters.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { readConversation, type ConversationRow } from './record/conversations.sql.ts';
import { isTakenOver } from './record/tally.ts';
import { listTurns, type TurnRow } from './record/turns.sql.ts';

/** Update sent to a follower of a conversation. */
export type Followed =
  | { type: 'turn'; turn: TurnRow }
  | { type: 'conversation'; conversation: ConversationRow };

/** Streams live updates of conversations to any number of readers in this process (contract/messages.md#following). */
export type Followers = {
  /**
   * Starts following a conversation.
   * @throws ApiError not_found, unavailable (stopping)
   */
  open: (input: {
    namespace: string;
    id: string;
    /**
     * Index of the last turn that the client has received, -1 if it has received none, or null if it wants only new
     * turns.
     */
    after: number | null;
  }) => Promise<(signal: AbortSignal) => AsyncGenerator<Followed>>;
  wake: KeyWaiters['wake'];
  /** Ends the streams of all readers and refuses new readers. */
  stop: () => void;
};

/** Number of turns per read. */
const PAGE = 50;
/** Poll interval in ms, in case a wake-up is lost. */
const POLL_MS = 5_000;

type Position = { namespace: string; id: string; from: number };

/** Ongoing read of a conversation's row and turns. All followers of the conversation share it. */
type Read = { namespace: string; row: Promise<ConversationRow | undefined>; pages: Pages };
type Pages = Map<number, Promise<TurnRow[]>>;

export function createFollowers({ pool }: { pool: Pool }): Followers {
  const waiters = createKeyWaiters();
  const stopping = new AbortController();
  /**
   * Reads in progress, by conversation. `wake` removes the reads of a changed conversation, because they may have
   * started before the change.
   */
  const reads = new Map<string, Read>();

  function read({ namespace, id }: Position): Read {
    const shared = reads.get(id);
    if (shared?.namespace === namespace) return shared;
    const row = readConversation(pool, { namespace, id });
    const own: Read = { namespace, row, pages: new Map() };
    reads.set(id, own);
    const forget = (): void => {
      if (reads.get(id) === own) reads.delete(id);
    };
    row.then(forget, forget);
    return own;
  }

  /** Reads a page of turns. Followers at the same position share the read. */
  function readPage(pages: Pages, page: Parameters<typeof listTurns>[1]): Promise<TurnRow[]> {
    const shared = pages.get(page.from);
    if (shared) return shared;
    const turns = listTurns(pool, page);
    pages.set(page.from, turns);
    const forget = (): void => void pages.delete(page.from);
    turns.then(forget, forget);
    return turns;
  }

  /**
   * Yields new turns in order, and then the conversation if its status has changed or a human has taken over or left.
   * Ends when the conversation has ended.
   */
  async function* follow(at: Position, signal: AbortSignal): AsyncGenerator<Followed> {
    let { from } = at;
    let state: string | undefined;
    while (!signal.aborted) {
      // Registers before the read, so that any later change wakes this follower.
      const woken = waiters.untilWoken(at.id, POLL_MS, signal);
      const { row, pages } = read(at);
      const conversation = found(await row, 'conversation');
      while (from < conversation.turnCount && !signal.aborted) {
        const page = { conversationId: at.id, from, limit: PAGE };
        for (const turn of await readPage(pages, page)) {
          yield { type: 'turn', turn };
          from = turn.index + 1;
        }
      }
      const now = `${conversation.status} ${isTakenOver(conversation)}`;
      if (now !== state) yield { type: 'conversation', conversation };
      state = now;
      if (conversation.endedAt !== null) return;
      await woken;
    }
  }

  return {
    open: async ({ namespace, id, after }) => {
      if (stopping.signal.aborted) {
        const detail = 'The server is shutting down. Reconnect.';
        throw new ApiError('unavailable', detail, { retryAfterSec: 5 });
      }
      const row = found(await readConversation(pool, { namespace, id }), 'conversation');
      const from = after === null ? row.turnCount : after + 1;
      return (signal) =>
        follow({ namespace, id, from }, AbortSignal.any([signal, stopping.signal]));
    },
    wake: (ids) => {
      // Removes reads in progress, because they may have started before the change that caused this wake-up.
      if (ids.includes('*')) reads.clear();
      for (const id of ids) reads.delete(id);
      waiters.wake(ids);
    },
    stop: () => stopping.abort(),
  };
}
