import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { delay, monotonicMs, timeoutSignal } from '../../clock.ts';
import type { AgentContent } from '../../agents/agent.ts';
import { readLastLanguage } from '../../agents/agent-versions.sql.ts';
import { ApiError, reasonOf } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import { endConversation } from '../../conversations/ending/end-conversation.ts';
import { readForTurn } from '../../conversations/record/conversations.sql.ts';
import { startConversation } from '../../conversations/record/start-conversation.ts';
import { sentencesIn, type Sentences } from '../../conversations/sentences/sentences.ts';
import { createPeriodic, type Periodic } from '../../platform/controller/periodic.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { ANSWERED, finishCall, readCall } from '../calls.sql.ts';
import { WEB_VOICE } from '../transports/web-voice.ts';
import type { Captions } from '../../voice/session/captions.ts';
import { act, type ActingLine } from './do-asked.ts';
import type { Line } from '../../voice/session/line.ts';
import {
  answerHeld,
  LINE_LEASE_MS,
  offerLine,
  releaseLine,
  renewLines,
  takeLine,
  type HeldCall,
} from './lines.sql.ts';
import {
  startAgentSession,
  type AgentSession,
  type AgentSessionDeps,
} from '../../voice/session/agent-session.ts';

/**
 * The lines that this process owns (contract/calls.md#lost-connections). A call's line is its connection to the caller.
 */
export type Lines = {
  /**
   * Returns a token that can open a call's line once. Returns undefined if a process already owns the line or the call
   * has ended.
   */
  offer: (callId: string) => Promise<string | undefined>;
  /**
   * Opens the line that a token belongs to. Begins the conversation of an unanswered call, or continues the
   * conversation of a call whose line was interrupted. Resolves to undefined if the token is unknown or already used,
   * or if no agent can answer the call.
   */
  open: (input: {
    token: string;
    providerCallId: string;
    lineFor: LineFor;
    captions?: Captions;
    /** Whether the conversation is a test. Ignored if the call already has a conversation. */
    test?: boolean;
  }) => Promise<OpenLine | undefined>;
  /** Periodically renews the leases of all lines, in one statement. */
  renewal: Periodic;
  /** Executes pending requests for the lines of these calls (UUIDs, or `*` for all lines). Does not wait. */
  look: (callIds: readonly string[]) => void;
  /** Returns the number of open lines. */
  count: () => number;
  /**
   * Stops opening lines, and waits up to `ms` for the open ones to close. Then ends the remaining calls with the status
   * `failed`.
   */
  drain: (ms: number) => Promise<void>;
};

/** Creates a call's line once its agent is known. `content` is undefined if no agent can answer the call. */
export type LineFor = (about: { namespace: string; content: AgentContent | undefined }) => Line;

export type OpenLine = Pick<AgentSession, 'on'> & {
  namespace: string;
  conversationId: string;
  /** Releases the line after either side has closed the socket. */
  closed: () => Promise<void>;
};

const RENEW_MS = LINE_LEASE_MS / 4;
/** Interval in ms at which a stopping process checks whether all of its lines are closed. */
const LOOK_MS = 100;

/** Maximum time in ms for the spoken apology when a stopping process ends a call. */
const LAST_WORDS_MS = 5_000;

type Held = ActingLine & {
  conversationId: string;
  session: AgentSession;
  line: Line;
  words: Sentences;
};

export function createLines(deps: AgentSessionDeps): Lines {
  const { pool, log } = deps;
  const held = new Map<string, Held>();
  let isDraining = false;

  async function renew(): Promise<boolean> {
    const asked = [...held.keys()];
    if (asked.length === 0) return false;
    const renewed = await renewLines(pool, asked);
    // Executes pending requests whose notification may have been lost.
    for (const { holder, isAsked } of renewed) {
      const line = held.get(holder);
      if (line && isAsked) act(deps, line);
    }
    const still = new Set(renewed.map(({ holder }) => holder));
    for (const holder of asked) {
      const line = still.has(holder) ? undefined : held.get(holder);
      if (line) await leaveIfTaken(deps, line);
    }
    return false;
  }

  async function open({ token, providerCallId, test, ...way }: Parameters<Lines['open']>[0]) {
    if (isDraining) return undefined;
    const holder = randomUUID();
    const call = await takeLine(pool, { tokenHash: hashOf(token), providerCallId, holder });
    if (!call) return undefined;
    await failpoint('line.taken');
    const isNew = call.conversationId === null;
    const conversationId = call.conversationId ?? (await answer(deps, { ...way, call, test }));
    if (conversationId === undefined) return undefined;
    const holding = await hold(deps, { ...way, call, conversationId, isNew });
    const { session } = holding;
    held.set(holder, holding);
    if (!isNew) act(deps, holding);
    return {
      namespace: call.namespace,
      conversationId,
      on: session.on,
      closed: async () => {
        session.leave();
        held.delete(holder);
        await releaseLine(pool, { id: call.id, holder }).catch((error: unknown) =>
          // If the release fails, the line becomes free when its lease expires.
          log.warn({ reason: reasonOf(error), call: call.id }, 'could not release a call line'),
        );
      },
    };
  }

  async function drain(ms: number): Promise<void> {
    isDraining = true;
    const endMs = monotonicMs() + ms;
    while (held.size > 0 && monotonicMs() < endMs) await delay(LOOK_MS);
    await Promise.all([...held.values()].map((line) => breakOff(deps, line)));
  }

  return {
    offer: (callId) => offer(deps, callId),
    open,
    look: (callIds) => {
      const isAny = callIds.includes('*');
      for (const line of held.values())
        if (isAny || callIds.includes(line.call.id)) act(deps, line);
    },
    renewal: createPeriodic({
      what: 'renewing the leases of call lines',
      everyMs: RENEW_MS,
      run: renew,
      log,
    }),
    count: () => held.size,
    drain,
  };
}

async function offer({ pool }: AgentSessionDeps, id: string): Promise<string | undefined> {
  const token = randomBytes(24).toString('base64url');
  return (await offerLine(pool, { id, tokenHash: hashOf(token) })) ? token : undefined;
}

/**
 * Closes a line that was replaced. The carrier considered the connection broken and opened another line for the same
 * call.
 */
async function leaveIfTaken(
  { pool }: AgentSessionDeps,
  { call, line, session }: Held,
): Promise<void> {
  const now = await readCall(pool, call);
  // The line of an ended call is closed when its conversation ends. Voicemail is the exception: this function closes
  // the line. The carrier then requests instructions, and the response speaks the message.
  if (now?.endedAt !== null && now?.endedReason !== 'voicemail') return;
  session.leave();
  line.end();
}

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

class LostLine extends Error {
  override readonly name = 'LostLine';
}

/**
 * Begins a call's conversation. If no agent can answer, marks the call as failed, speaks an apology, and returns
 * undefined.
 */
async function answer(
  deps: AgentSessionDeps,
  { call, lineFor, test = false }: { call: HeldCall; lineFor: LineFor; test: boolean | undefined },
): Promise<string | undefined> {
  const { id, holder, namespace, agentId, agentVersion, userId, variables, metadata } = call;
  const about = { namespace, agentId, userId, variables, metadata, callId: id };
  const version = agentVersion === null ? {} : { version: agentVersion };
  try {
    const row = await startConversation(
      deps,
      { ...about, ...version, channel: channelOf(call), test },
      async (db, begun) => {
        if (!(await answerHeld(db, { id, holder, conversationId: begun.id }))) throw new LostLine();
      },
    );
    return row.id;
  } catch (error) {
    if (!(error instanceof LostLine || error instanceof ApiError)) throw error;
    const end = { status: 'failed', reason: 'platform_error' } as const;
    await finishCall(deps.pool, { ...end, id, from: ['queued', 'ringing'] });
    const line = lineFor({ namespace, content: undefined });
    line.playout.close(sentencesIn(await readLastLanguage(deps.pool, agentId)).away);
    return undefined;
  }
}

const channelOf = ({ provider }: HeldCall) => (provider === WEB_VOICE ? 'web_voice' : 'voice');

type ToHold = Pick<Held, 'call' | 'conversationId'> & {
  lineFor: LineFor;
  captions?: Captions;
  isNew: boolean;
};

/** Starts the session that conducts a call's conversation. The line closes when the session is over. */
async function hold(
  deps: AgentSessionDeps,
  { call, conversationId, lineFor, captions, isNew }: ToHold,
) {
  const { id, namespace } = call;
  const read = await readForTurn(deps.pool, { namespace, id: conversationId });
  const content = read?.content ?? undefined;
  const line = lineFor({ namespace, content });
  const about = { namespace, conversationId, playout: line.playout, captions };
  // Turns that were stored while the call had no line are spoken first.
  const next = call.sayFrom ?? read?.conversation.turnCount ?? 0;
  const saidTo = isNew ? -1 : next - 1;
  const isGreetingKept = content?.firstMessageInterruptible === false;
  const said = { language: content?.language, isGreetingKept, saidTo };
  const onEnd = (db: Db, reason: string) =>
    finishCall(db, { id, from: ANSWERED, status: 'completed', reason });
  const session = startAgentSession(deps, { ...about, ...said, onEnd });
  const words = sentencesIn(content?.language);
  const holding: Held = {
    call,
    conversationId,
    session,
    line,
    words,
    isBrokenOff: false,
    isTransferring: false,
  };
  void session.over.then(() => {
    if (!holding.isBrokenOff) line.end();
  });
  return holding;
}

/**
 * Ends a call that is still in progress when the time for a graceful shutdown is over. The call's status becomes
 * `failed`, and its conversation ends.
 */
async function breakOff(deps: AgentSessionDeps, holding: Held): Promise<void> {
  const { call, conversationId, session, line } = holding;
  holding.isBrokenOff = true;
  session.leave(holding.words.over);
  const { namespace, id } = call;
  const reason = 'platform_error';
  await endConversation(deps, { namespace, id: conversationId, reason }, async (db) => {
    await finishCall(db, { id, from: ANSWERED, status: 'failed', reason });
  }).catch((error: unknown) => {
    deps.log.warn({ reason: reasonOf(error), call: id }, 'could not end a call before shutdown');
  });
  // If this process synthesizes the apology, the line must stay open until the audio has been played. If the carrier
  // synthesizes the apology, it continues to speak even after the line is closed.
  if (line.playout.reportsPlayback) {
    await line.playout.waitForPlayout(timeoutSignal(LAST_WORDS_MS));
  }
  line.end(reason);
}
