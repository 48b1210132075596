import { ApiError, found } from '../../errors.ts';
import {
  conversationEnded,
  type ConversationDeps,
  inConversation,
  lockLive,
} from '../record/conversation-deps.ts';
import { readConversation, readForTurn } from '../record/conversations.sql.ts';
import { startConversation } from '../record/start-conversation.ts';
import { listTurns, readUnheard, type BroughtTurn, addTurns } from '../record/turns.sql.ts';
import {
  addedFrom,
  afterLastReply,
  broughtBefore,
  hashNext,
  hashTalk,
  isUnspoken,
  type Added,
} from './read-messages.ts';
import { chooseTalk, type Choice } from './choose-talk.ts';
import {
  claimTalk,
  findTalks,
  markForAnswer,
  releaseTalk,
  saveTalk,
  type FoundTalk,
} from './talks.sql.ts';
import { plainTurn } from '../record/plain-turn.ts';
import type { AgentContent } from '../../agents/agent.ts';
import { readLiveContent, readVersionToTalk } from '../../agents/agent-versions.sql.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { mayHoldAny, redactHistory } from '../redaction/redact.ts';

export type TalkRequest = {
  namespace: string;
  /** `keyId` (the API key) and `agentId` are UUIDs. */
  keyId: string;
  agentId: string;
  version: number | undefined;
  /** Conversation (UUID) that the client asks to continue, if it names one. */
  conversationId: string | undefined;
  userId: string | null;
  metadata: Record<string, string>;
  said: readonly BroughtTurn[];
  /** Whether the client marked this request as a retry. */
  isRetry: boolean;
  /** Whether this request continues an earlier attempt of the same request that no process is handling any longer. */
  isTakenUp: boolean;
};

/** Conversation that is ready for the user's turn, or that already has the response. */
export type OpenTalk = {
  namespace: string;
  /** `conversationId` and `agentId` are UUIDs. */
  conversationId: string;
  agentId: string;
  agentVersion: number;
  /** The user's text. Empty if the agent speaks without a new message from the user. */
  text: string;
  /** Hash of all messages of the request. */
  request: Buffer;
  /** Whether the transcript may already have the user's message, without a reply to it. */
  isAgain: boolean;
  /** Messages that a human sent since the user's last message, and that the client has not received. */
  unheard: readonly string[];
  /**
   * Set if the response already exists, but the client has not received it. The response consists of the turns from
   * `firstIndex` (inclusive) to `turnCount` (exclusive). `isGreeting` is set if the response is the agent's first
   * message and is requested for the first time.
   */
  answered: { firstIndex: number; turnCount: number; isGreeting?: true } | undefined;
  /** Releases the claim on the talk after a failure. */
  release: () => Promise<void>;
};

/**
 * Opens the conversation that a request names (docs/decisions/0036). If the request names no conversation, continues
 * one with the same API key, agent, user and metadata whose messages are exactly the request's earlier messages. If no
 * such conversation exists, starts a new one with these earlier messages as its first turns.
 * @throws ApiError not_found, conversation_ended, idempotency_in_progress, not_published
 */
export async function openTalk(deps: ConversationDeps, request: TalkRequest): Promise<OpenTalk> {
  const named = request.conversationId === undefined ? undefined : await readNamed(deps, request);
  const hashes = await hashTalk(request, await redactSaid(deps.pool, request));
  const from = afterLastReply(request.said);
  const candidates = await findTalks(deps.pool, {
    // The hash of zero messages matches every talk of this client, so it is used only for a request without messages.
    hashes: hashes.slice(Math.min(Math.max(1, from - 1), request.said.length)),
    conversationId: request.conversationId,
  });
  const { isRetry, isTakenUp } = request;
  let choice = chooseTalk(candidates, { hashes, from, isRetry, isTakenUp });
  for (let left = candidates; choice;) {
    const { talk } = choice;
    const taken = await take(deps, request, { choice, hashes });
    if (taken) return taken;
    left = left.filter((one) => one !== talk); // Another request claimed this talk first.
    choice = chooseTalk(left, { hashes, from, isRetry, isTakenUp });
  }
  if (named) return continueNamed(deps, request, { named, hashes, from });
  return begin(deps, request, { hashes, from });
}

type Hashes = readonly Buffer[];

/** Claims the chosen talk. Returns undefined if another request claimed it first. */
async function take(
  deps: ConversationDeps,
  request: TalkRequest,
  { choice, hashes }: { choice: Choice; hashes: Hashes },
): Promise<OpenTalk | undefined> {
  const { talk, from, isAgain = false } = choice;
  const all = hashes.at(-1)!; // `hashes` is never empty: it begins with the hash of zero messages.
  const about = { namespace: request.namespace, ...idsOf(talk), request: all, isAgain };
  if (from === undefined) {
    return { ...about, text: '', unheard: [], answered: talk, release: async () => undefined };
  }
  const added = isAgain ? addedAgain(request.said, from) : addedFrom(request.said, from);
  if (!(await claimTalk(deps.pool, talk, all))) return undefined;
  if (isAgain && talk.status !== 'pending') await markForAnswer(deps.pool, talk);
  const release = (): Promise<void> => releaseTalk(deps.pool, talk);
  return ready(deps, { ...about, release, hadHuman: talk.hadHuman }, added);
}

/**
 * Returns the user's text that still needs a reply. Leaves out notes (messages from the client program, see
 * `addNotes`), because the transcript already has them. If only notes follow `from`, returns the user's text after the
 * agent's last reply.
 */
function addedAgain(said: TalkRequest['said'], from: number): Added {
  const { text } = addedFrom(said, from);
  return { text: text || addedFrom(said, afterLastReply(said)).text, notes: [] };
}

function idsOf({ conversationId, agentId, agentVersion }: FoundTalk) {
  return { conversationId, agentId, agentVersion };
}

async function ready(
  deps: ConversationDeps,
  talk: Omit<OpenTalk, 'text' | 'unheard' | 'answered'> & { hadHuman: boolean },
  { text, notes }: Added,
): Promise<OpenTalk> {
  const { hadHuman, ...rest } = talk;
  try {
    const unheard = hadHuman ? await readUnheard(deps.pool, talk.conversationId) : [];
    const { namespace, conversationId: id } = talk;
    if (notes.length > 0) await addNotes(deps, { namespace, id, notes });
    return { ...rest, text, unheard, answered: undefined };
  } catch (error) {
    await talk.release();
    throw error;
  }
}

type Named = Awaited<ReturnType<typeof readNamed>>;

/**
 * Reads the conversation that the request names.
 * @throws ApiError not_found, invalid_body, conversation_ended
 */
async function readNamed(deps: ConversationDeps, request: TalkRequest) {
  const { namespace, conversationId: id = '' } = request;
  const row = found(await readConversation(deps.pool, { namespace, id }), 'conversation');
  if (row.agentId !== request.agentId) throw found(undefined, 'conversation of this agent');
  if (request.version !== undefined && request.version !== row.agentVersion) {
    const detail = `The conversation uses version ${row.agentVersion} of the agent until it ends. Send that version in \`model\`, or omit the version.`;
    throw new ApiError('invalid_body', detail, {
      errors: [{ pointer: '/model', code: 'invalid_value', detail }],
    });
  }
  if (row.endedAt !== null) throw conversationEnded();
  return row;
}

/**
 * Continues the conversation that the request names. Everything after the last reply counts as new, because no stored
 * hash matches the request.
 */
async function continueNamed(
  deps: ConversationDeps,
  request: TalkRequest,
  { named, hashes, from }: { named: Named; hashes: Hashes; from: number },
): Promise<OpenTalk> {
  const added = addedFrom(request.said, from);
  const greeting = isUnspoken(request.said) ? await greetingOf(deps, named) : undefined;
  const about = {
    namespace: request.namespace,
    conversationId: named.id,
    agentId: named.agentId,
    agentVersion: named.agentVersion,
    request: hashes.at(-1)!,
    isAgain: false,
    hadHuman: named.tally.escalations.accepted > 0,
    release: async () => undefined,
  };
  if (greeting) return { ...about, text: '', unheard: [], answered: greeting };
  return ready(deps, about, added);
}

/** Returns the position of the agent's first message if it is the only turn so far, and undefined otherwise. */
async function greetingOf(
  { pool }: ConversationDeps,
  { id, turnCount }: Named,
): Promise<OpenTalk['answered']> {
  if (turnCount !== 1) return undefined;
  const [turn] = await listTurns(pool, { conversationId: id, from: 0, limit: 1 });
  return turn?.role === 'agent' ? { firstIndex: 0, turnCount, isGreeting: true } : undefined;
}

/**
 * Starts a conversation and commits it before its first turn, so that a repeated request finds it if the turn fails.
 */
async function begin(
  deps: ConversationDeps,
  request: TalkRequest,
  { hashes, from }: { hashes: Hashes; from: number },
): Promise<OpenTalk> {
  const { namespace, agentId, version, userId, metadata, said } = request;
  const { text } = addedFrom(said, from);
  const brought = broughtBefore(said, from);
  const all = hashes.at(-1)!;
  const pending = { state: all, request: all, status: 'pending' as const };
  const place = { firstIndex: brought.length, turnCount: brought.length };
  const about = { namespace, agentId, version, channel: 'chat' as const, userId, metadata };
  const asked = { ...about, variables: {}, brought, greets: isUnspoken(said) };
  let greeting: OpenTalk['answered'];
  const row = await startConversation(deps, asked, async (db, { id, turnCount }) => {
    const started = { conversationId: id, ...pending, ...place };
    const [reply] =
      turnCount === brought.length
        ? []
        : await listTurns(db, { conversationId: id, from: brought.length, limit: 1 });
    if (!reply) return saveTalk(db, started);
    const state = hashNext(all, { role: 'agent', text: reply.text });
    greeting = { firstIndex: reply.index, turnCount, isGreeting: true };
    return saveTalk(db, { ...started, state, status: 'answered', turnCount });
  });
  const started = { conversationId: row.id, ...pending, ...place };
  return {
    namespace,
    conversationId: row.id,
    agentId: row.agentId,
    agentVersion: row.agentVersion,
    text,
    request: all,
    isAgain: false,
    unheard: [],
    answered: greeting,
    release: () => releaseTalk(deps.pool, { ...started, ageSec: ABANDONED_SEC }),
  };
}

/**
 * Age in seconds that a request gets when its turn has failed. No client waits this long for a response, so a retry may
 * take over the talk immediately.
 */
const ABANDONED_SEC = 3_600;

/**
 * Adds notes to a conversation, as turns with the role `system`. Notes are messages that the client program wrote for
 * the agent.
 * @throws ApiError not_found, conversation_ended
 */
async function addNotes(
  deps: ConversationDeps,
  { namespace, id, notes }: { namespace: string; id: string; notes: readonly string[] },
): Promise<void> {
  await inConversation(deps, async ({ db }) => {
    const conversation = await lockLive(db, { namespace, id });
    const turns = notes.map((text, i) => {
      const turn = plainTurn(conversation, 'system', text);
      return { ...turn, index: turn.index + i };
    });
    const { tally, status, silenceTimeoutSec: silenceSec } = conversation;
    if (status !== 'active' && status !== 'escalated') return;
    await addTurns(db, { conversation, turns, tally, status, silenceSec });
  });
}

type Request = {
  namespace: string;
  /** `agentId` and `conversationId` are UUIDs. */
  agentId: string;
  version: number | undefined;
  conversationId: string | undefined;
  userId: string | null;
  said: readonly BroughtTurn[];
};

/**
 * Returns the messages of a request after redaction. Hashes of these messages are stored to find the talk again, and
 * not even a hash of a redacted value may be stored. The text of the new turn is redacted later, according to the
 * settings of the conversation's version.
 */
async function redactSaid(pool: Pool, request: Request): Promise<readonly BroughtTurn[]> {
  const { said } = request;
  if (!said.some(({ role, text }) => role === 'user' && mayHoldAny(text))) return said;
  const content = await readContent(pool, request);
  if (!content?.redaction) return said; // If the agent does not exist, the request is rejected later.
  return redactHistory(said, content);
}

async function readContent(pool: Pool, request: Request): Promise<AgentContent | null> {
  const { namespace, agentId, version, conversationId, userId } = request;
  if (conversationId !== undefined) {
    return (await readForTurn(pool, { namespace, id: conversationId }))?.content ?? null;
  }
  const read =
    version === undefined
      ? await readLiveContent(pool, { namespace, id: agentId, unit: userId ?? undefined })
      : await readVersionToTalk(pool, { namespace, id: agentId, version });
  return read?.content ?? null;
}
