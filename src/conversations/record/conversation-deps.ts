import { ApiError, found } from '../../errors.ts';
import type { EventData, EventType } from '../../events/event-types.ts';
import { failpoint } from '../../failpoints.ts';
import { fromUuid } from '../../ids.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import { activeTraceparent } from '../../platform/observability/trace-context.ts';
import type { Redacted } from '../redaction/redact.ts';
import {
  lockConversation,
  nextSequence,
  type ConversationRow,
  type LiveConversation,
} from './conversations.sql.ts';
import type { Db, Pool } from '../../platform/postgres/pool.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import {
  emitEvents,
  type Announce,
  type Emitted,
  type EventToEmit,
} from '../../events/emit-event.ts';
import { noCommitHook, type CommitHook } from '../../platform/postgres/commit-hook.ts';

/** Dependencies of the functions that change conversations. `baseUrl` is the prefix of links in events. */
export type ConversationDeps = {
  pool: Pool;
  announce: Announce;
  /** Called after a commit that added turns to a conversation or canceled its turn in progress. Never waits. */
  changed: (conversationId: string) => void;
  nowMs: () => number;
  metrics: Pick<
    Metrics,
    'conversations' | 'turnDuration' | 'turnErrors' | 'escalations' | 'redactions' | 'judgements'
  >;
  baseUrl: () => string;
  /**
   * Calls a human agent by telephone when a human is requested during a call. Runs in the transaction that requests the
   * human. Returns the maximum ringing time in seconds, or undefined if nobody is called.
   */
  ring?: RingPerson | undefined;
  /**
   * Queues an ended conversation for judgement by a model. The summary of the conversation is stored after the
   * judgement. Never waits or throws.
   */
  judge: (ended: { row: ConversationRow; isOutcomeStated: boolean }) => void;
};

export type RingPerson = (
  transaction: Pick<ConversationTransaction, 'db' | 'later'>,
  asked: { conversation: Pick<ConversationRow, 'id' | 'callId'>; escalationId: string; to: string },
) => Promise<number | undefined>;

type About = Pick<
  ConversationRow,
  'id' | 'namespace' | 'agentId' | 'userId' | 'metadata' | 'callId' | 'channel' | 'test'
>;

/**
 * Adds an event of a conversation to the outbox, in the order of the conversation's events. All events of a transaction
 * are stored together, at the commit. The caller has locked the conversation's row. The user, metadata, call and
 * channel of the conversation are appended to `data`. A test conversation emits no events; only its followers are
 * notified. `sequence` is the position of the event in its conversation, by default the next one. `traceparent` is the
 * trace that the deliveries of the event continue, by default the active one.
 */
export type EmitOf = <T extends EventType>(
  about: About,
  event: { type: T; data: EventData<T>; sequence?: number; traceparent?: string | undefined },
) => Promise<void>;

export type ConversationTransaction = {
  db: Db;
  emit: EmitOf;
  /**
   * Counts, in the metrics, that an escalation of the conversation has reached `status`. Takes effect after the commit.
   * Does nothing for a test conversation.
   */
  count: (conversation: Pick<ConversationRow, 'test'>, status: string) => void;
  /**
   * Adds a statement that has been sent and whose reply is needed only after the commit, so that it shares the round
   * trip of the commit. If it fails, the transaction fails.
   */
  send: (sent: Promise<unknown>) => void;
  /** Runs `act` after the commit. `act` must not wait or fail. */
  later: (act: () => void) => void;
  /**
   * Counts the redactions of stored turns in the metrics. Takes effect after the commit. Does nothing for a test
   * conversation.
   */
  countRedacted: (conversation: Pick<ConversationRow, 'test'>, turns: Redactable) => void;
};

type Redactable = readonly { redacted?: Redacted | null }[];

/** Work that a transaction on a conversation leaves for its commit, or for the time after the commit. */
type Effects = {
  events: EventToEmit<EventType>[];
  sent: Promise<unknown>[];
  /** Ids of test conversations, whose events are not stored. */
  untold: string[];
  later: (() => void)[];
};

const noEffects = (): Effects => ({ events: [], sent: [], untold: [], later: [] });

type InConversationDeps = Pick<
  ConversationDeps,
  'pool' | 'announce' | 'changed' | 'nowMs' | 'metrics'
>;

/**
 * Runs one transaction on one or more conversations. Announces events and counts metrics only after the commit, because
 * the transaction may be retried and its first run must leave no traces.
 */
export async function inConversation<R>(
  deps: InConversationDeps,
  work: (transaction: ConversationTransaction) => Promise<R>,
  beforeCommit: CommitHook<R> = noCommitHook,
): Promise<R> {
  let effects = noEffects();
  let emitted: Emitted[] = [];
  const run = async (db: Db): Promise<R> => {
    effects = noEffects();
    emitted = [];
    try {
      const done = await work(collectInto(effects, db, deps));
      await beforeCommit(db, done);
      await failpoint('conversation.committing');
      return done;
    } catch (error) {
      // After a statement has failed, PostgreSQL refuses all later ones. The first failure is the one to report.
      await Promise.all(effects.sent);
      throw error;
    }
  };
  const result = await inTransaction(deps.pool, run, async (db) => {
    const { events, sent } = effects;
    const storing = events.length > 0 && emitEvents(db, events, deps.nowMs());
    await Promise.all([...sent, storing]);
    emitted = (await storing) || [];
  });
  await failpoint('conversation.committed');
  emitted.forEach(deps.announce);
  effects.untold.forEach(deps.changed);
  for (const act of effects.later) act();
  return result;
}

function collectInto(
  { events, sent, untold, later }: Effects,
  db: Db,
  deps: Pick<ConversationDeps, 'metrics'>,
): ConversationTransaction {
  return {
    db,
    emit: async (about, { type, data, sequence, traceparent = activeTraceparent() }) => {
      const { id, namespace, agentId } = about;
      if (about.test) {
        untold.push(id);
        return;
      }
      events.push({
        namespace,
        agentId,
        conversationId: id,
        type,
        data: { ...data, ...detailsOf(about) },
        sequence: sequence ?? (await nextSequence(db, id)),
        traceparent,
      });
    },
    send: (one) => {
      one.catch(() => undefined); // Each rejection is reported, but perhaps only after other statements.
      sent.push(one);
    },
    later: (act) => void later.push(act),
    count: ({ test }, status) => {
      if (!test) later.push(() => deps.metrics.escalations.inc({ status }));
    },
    countRedacted: (...stored) => void later.push(() => countRedacted(deps, ...stored)),
  };
}

/**
 * Returns the details that are appended to an event's fixed fields. An event may already have a fixed field with the
 * name of a detail, such as `channel`. The detail then replaces that field and keeps its position in the JSON
 * (contract/events.md#types).
 */
function detailsOf({ userId, metadata, callId, channel }: About) {
  return {
    ...(userId !== null && { user_id: userId }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(callId !== null && { call_id: fromUuid('call', callId) }),
    channel,
  };
}

/** Counts the redactions of stored turns in the metrics. */
export function countRedacted(
  { metrics }: Pick<ConversationDeps, 'metrics'>,
  { test }: Pick<ConversationRow, 'test'>,
  turns: Redactable,
): void {
  if (test) return;
  for (const { redacted } of turns) {
    for (const [kind, count] of Object.entries(redacted ?? {})) {
      metrics.redactions.inc({ kind }, count);
    }
  }
}

/**
 * Locks a conversation that has not ended.
 * @throws ApiError not_found, conversation_ended
 */
export async function lockLive(
  db: Db,
  key: { namespace: string; id: string },
): Promise<LiveConversation> {
  const row = found(await lockConversation(db, key), 'conversation');
  if (row.endedAt !== null) throw conversationEnded();
  return row;
}

export function conversationEnded(): ApiError {
  return new ApiError('conversation_ended', 'The conversation has ended. Start a new one.');
}

export function transcriptUrl({ baseUrl }: Pick<ConversationDeps, 'baseUrl'>, id: string): string {
  return `${baseUrl()}/v1/conversations/${fromUuid('conv', id)}/transcript`;
}

/** Returns the duration in whole seconds, or null if the conversation has not ended. */
export function durationSec(row: Pick<ConversationRow, 'startedAt' | 'endedAt'>): number | null {
  return row.endedAt === null
    ? null
    : Math.max(0, Math.floor((row.endedAt - row.startedAt) / 1_000));
}
