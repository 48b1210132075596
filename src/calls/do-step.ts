import { createHash } from 'node:crypto';
import { ApiError } from '../errors.ts';
import { endConversation } from '../conversations/ending/end-conversation.ts';
import type { ConversationDeps } from '../conversations/record/conversation-deps.ts';
import { startConversation } from '../conversations/record/start-conversation.ts';
import { advanceCall, finishCall, type CallChange, type CallEnd } from './calls.sql.ts';
import type { ClaimedCall } from './claims.sql.ts';
import type { Db } from '../platform/postgres/pool.ts';
import { listTurns, type TurnRow } from '../conversations/record/turns.sql.ts';
import type { TakeTurn } from '../conversations/turns/take-turn.ts';
import type { CallEvent, Transport, DueEvent } from './transport.ts';
import { DialRefused } from '../carriers/ask-carrier.ts';
import type { Logger } from '../platform/observability/logger.ts';

export type CallStepDeps = ConversationDeps & { takeTurn: TakeTurn; log: Logger };

type Step = { call: ClaimedCall; transport: Transport; due: DueEvent };

/**
 * Executes the due step of a call, at most once. The transaction that changes the conversation also advances the call
 * to the next step. The transaction is rolled back if this process no longer holds the lease or the step has changed.
 */
export async function doStep(deps: CallStepDeps, step: Step): Promise<void> {
  try {
    await HANDLERS[step.due.event.type](deps, step);
  } catch (error) {
    if (error instanceof LostStep) return;
    if (!(error instanceof ApiError)) throw error;
    // The conversation has already ended. The call player's `sweep` then ends the call.
    if (error.code === 'conversation_ended') return;
    if (step.due.event.type !== 'answered') throw error;
    // The agent was deleted or is not published, so it cannot answer.
    const end = { status: 'failed', reason: 'platform_error' } as const;
    await finishCall(deps.pool, { ...end, id: step.call.id, from: ['queued', 'ringing'] });
  }
}

class LostStep extends Error {
  override readonly name = 'LostStep';
}

type Handler = (deps: CallStepDeps, step: Step) => Promise<void>;

const HANDLERS: Record<CallEvent['type'], Handler> = {
  ringing: async ({ pool, log }, { call, transport, due }) => {
    const nextAfterMs = due.nextAfterMs;
    try {
      const { providerCallId } = await transport.place(call);
      await advance(pool, call, { status: 'ringing', providerCallId, nextAfterMs });
    } catch (error) {
      if (!(error instanceof DialRefused)) throw error;
      log.warn({ reason: error.message, call: call.id }, 'the carrier refused to place a call');
      const end = { status: 'failed', reason: 'dial_failed' } as const;
      await finishCall(pool, { ...end, id: call.id, from: ['queued'] });
    }
  },

  not_connected: async ({ pool }, { call, due: { event } }) => {
    if (event.type !== 'not_connected') return;
    const { why: reason } = event;
    const status = reason === 'dial_failed' ? 'failed' : reason;
    await finishCall(pool, { id: call.id, from: ['queued', 'ringing'], status, reason });
  },

  answered: async (deps, { call, transport, due: { nextAfterMs } }) => {
    const { namespace, agentId, userId, variables, metadata } = call;
    const about = { namespace, agentId, userId, variables, metadata, callId: call.id };
    const { id } = await startConversation(
      deps,
      { ...about, channel: 'voice' },
      (db, { id: conversationId }) =>
        advance(db, call, { status: 'in_progress', conversationId, nextAfterMs }),
    );
    await sayAll(
      transport,
      call,
      await listTurns(deps.pool, { conversationId: id, from: 0, limit: 1 }),
    );
  },

  heard: async ({ takeTurn }, { call, transport, due: { event, nextAfterMs } }) => {
    if (event.type !== 'heard') return;
    const { namespace } = call;
    const { turns, conversation } = await takeTurn(
      {
        namespace,
        conversationId: conversationOf(call),
        text: event.text,
        redacted: event.redacted,
        request: requestOf(call),
      },
      async (db, after) => {
        await advance(db, call, { nextAfterMs });
        const { endedAt, endedReason } = after.conversation;
        if (endedAt !== null && endedReason !== null) await complete(db, call, endedReason);
      },
    );
    await sayAll(transport, call, turns);
    if (conversation.endedAt !== null) await transport.hangUp(call);
  },

  message_left: (deps, { call }) =>
    hangUp(deps, call, { reason: 'voicemail', outcome: 'voicemail' }),

  hung_up: (deps, { call }) => hangUp(deps, call, { reason: 'user_hangup' }),
};

/**
 * Derives a request ID from the call and its step. If a process is killed during a step, the process that repeats the
 * step uses the same ID and so continues the same request.
 */
function requestOf(call: ClaimedCall): { id: string; isRetry: boolean } {
  const bytes = createHash('sha256').update(`${call.id}/${call.step}`).digest().subarray(0, 16);
  const id = bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return { id, isRetry: true };
}

async function sayAll(
  transport: Transport,
  call: ClaimedCall,
  turns: readonly TurnRow[],
): Promise<void> {
  for (const { role, text } of turns) if (role === 'agent') await transport.say(call, text);
}

type Hangup = { reason: 'voicemail'; outcome: 'voicemail' } | { reason: 'user_hangup' };

async function hangUp(deps: CallStepDeps, call: ClaimedCall, ending: Hangup): Promise<void> {
  const { namespace } = call;
  await endConversation(deps, { namespace, id: conversationOf(call), ...ending }, (db) =>
    complete(db, call, ending.reason),
  );
}

function conversationOf({ conversationId }: ClaimedCall): string {
  if (conversationId === null) throw new Error('the answered call has no conversation');
  return conversationId;
}

async function advance(db: Db, call: ClaimedCall, change: CallChange): Promise<void> {
  if (!(await advanceCall(db, call, change))) throw new LostStep();
}

async function complete(db: Db, call: ClaimedCall, reason: string): Promise<void> {
  const end: CallEnd = { id: call.id, from: ['in_progress'], status: 'completed', reason };
  if (!(await finishCall(db, end))) throw new LostStep();
}
