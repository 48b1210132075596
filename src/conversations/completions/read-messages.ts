import { createHash } from 'node:crypto';
import { ApiError } from '../../errors.ts';
import { giveWay } from '../../platform/controller/event-loop-turns.ts';
import { singleSpaced } from '../record/single-spaced.ts';
import type { BroughtTurn } from '../record/turns.sql.ts';
import type { ChatMessage } from './completion.view.ts';

/** Maximum length of a message (contract/conversations.md#bounds). */
const TEXT_MAX = 32_000;
/** Maximum number of messages from an imported history that become turns. The oldest messages are dropped. */
const BROUGHT_MAX = 200;

/**
 * Returns the messages of a request as turns. The request needs no user message after the agent's last reply: without
 * one, the agent sends the next message without waiting for the user.
 * @throws ApiError invalid_body
 */
export function readMessages(messages: readonly ChatMessage[]): BroughtTurn[] {
  const said = messages.map(({ role, content = '' }): BroughtTurn => ({
    role: ROLES[role],
    text: content,
  }));
  if (said.at(-1)?.role === 'agent') {
    const detail =
      'must not be `assistant` in the last message, because an agent does not continue its own text';
    throw wrong(`/messages/${said.length - 1}/role`, detail);
  }
  const long = said.findIndex(({ role, text }) => role === 'user' && text.length > TEXT_MAX);
  if (long >= 0) {
    throw wrong(`/messages/${long}/content`, `must have at most ${TEXT_MAX} characters`);
  }
  const last = said.findLastIndex(({ role }) => role === 'user');
  const isBlank = last >= afterLastReply(said) && !/\S/.test(said[last]?.text ?? '');
  if (isBlank) throw wrong(`/messages/${last}/content`, 'must not be blank');
  return said;
}

const ROLES = { system: 'system', developer: 'system', user: 'user', assistant: 'agent' } as const;

/** Content that a request adds to a conversation which already has the messages before `from`. */
export type Added = {
  /** Messages with the role `system` or `developer`, which the client program writes for the agent. */
  notes: string[];
  /** The user's text. Empty if the agent speaks without a new message from the user. */
  text: string;
};

/** Returns true if neither the user nor the agent has said anything yet. */
export function isUnspoken(said: readonly BroughtTurn[]): boolean {
  return said.every(({ role }) => role === 'system');
}

/**
 * Returns the notes and the text in the messages from index `from` on. Joins consecutive user messages, such as one
 * sent after a failure, into one text.
 */
export function addedFrom(said: readonly BroughtTurn[], from: number): Added {
  const rest = said.slice(from);
  const texts = rest.filter(({ role }) => role === 'user').map(({ text }) => text);
  const text = texts.join('\n\n');
  if (text.length > TEXT_MAX) {
    const detail = `must have at most ${TEXT_MAX} characters, including the other user messages since the last reply`;
    throw wrong(`/messages/${said.length - 1}/content`, detail);
  }
  return { text, notes: rest.filter(({ role }) => role === 'system').map((turn) => turn.text) };
}

/**
 * Returns the earlier messages that become the first turns of a new conversation: the messages before `from`, and all
 * messages of the client program (role `system`), wherever they are in the request.
 */
export function broughtBefore(said: readonly BroughtTurn[], from: number): BroughtTurn[] {
  const notes = said.slice(from).filter(({ role }) => role === 'system');
  const before = said.slice(0, from);
  const dropped = Math.max(0, before.length - BROUGHT_MAX);
  const kept = before.filter(({ role }, i) => i >= dropped || role === 'system');
  return [...kept, ...notes].filter(({ text }) => /\S/.test(text));
}

/** Returns the index of the first unanswered message, which is the one after the agent's last message. */
export function afterLastReply(said: readonly BroughtTurn[]): number {
  return said.findLastIndex(({ role }) => role === 'agent') + 1;
}

/** Properties that a request must share with a talk, besides its messages, to continue the talk. Ids are UUIDs. */
export type TalkOwner = {
  keyId: string;
  agentId: string;
  version: number | undefined;
  /**
   * Conversation that the request names, if any. A later request continues the talk only if both requests name the same
   * conversation, or if neither names one.
   */
  conversationId: string | undefined;
  userId: string | null;
  metadata: Readonly<Record<string, string>>;
};

/** Number of characters to hash before the process lets other work run. */
const HASHED_AT_ONCE = 32_000;

/**
 * Returns hashes of the messages: `hashes[n]` covers the first n messages, from none to all. Ignores surrounding and
 * repeated white space, because clients trim it.
 */
export async function hashTalk(owner: TalkOwner, said: readonly BroughtTurn[]): Promise<Buffer[]> {
  const hashes = [digest(JSON.stringify(ownedBy(owner)))];
  let chars = 0;
  for (const turn of said) {
    // The list always has at least the hash of zero messages.
    hashes.push(hashNext(hashes.at(-1)!, turn));
    chars += turn.text.length;
    if (chars < HASHED_AT_ONCE) continue;
    chars = 0;
    await giveWay();
  }
  return hashes;
}

function ownedBy({ keyId, conversationId, ...by }: TalkOwner): unknown[] {
  if (conversationId !== undefined) return [keyId, conversationId];
  const pairs = Object.entries(by.metadata).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [keyId, by.agentId, by.version ?? null, by.userId, pairs];
}

export function hashNext(before: Buffer, { role, text }: BroughtTurn): Buffer {
  return digest(before, JSON.stringify([role, singleSpaced(text).trim()]));
}

function digest(...parts: (string | Buffer)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function wrong(pointer: string, detail: string): ApiError {
  return new ApiError('invalid_body', detail, {
    errors: [{ pointer, code: 'invalid_value', detail }],
  });
}
