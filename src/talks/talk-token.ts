import { createHash } from 'node:crypto';
import type { Variables } from '../conversations/record/conversations.sql.ts';
import type { Sealer } from '../platform/postgres/sealing.ts';

/** Rights and expiry of a talk token (contract/talks.md#tokens). */
export type TalkToken = {
  /** `widget`: issued to a page from an allowed origin, for an anonymous visitor. `server`: created with an API key. */
  by: 'widget' | 'server';
  namespace: string;
  /** uuid */
  agentId: string;
  /** Unix seconds. */
  expiresAt: number;
  /** Origin whose pages may use the token. Null allows any origin. */
  origin: string | null;
  /** Version of the agent; null means the version that is live when a talk starts. */
  version: number | null;
  test: boolean;
  userId: string | null;
  variables: Variables;
  metadata: Record<string, string>;
};

/** Identifies a talk to resume. Resuming requires a talk token of the same kind for the same agent, origin and user. */
export type ResumeToken = Pick<
  TalkToken,
  'by' | 'namespace' | 'agentId' | 'origin' | 'userId' | 'test'
> & {
  mode: 'chat' | 'voice';
  /** uuid */
  conversationId: string;
  /** UUID of the call. Null for a chat. */
  callId: string | null;
};

/**
 * Encrypts (seals) a token. A signature would not be enough, because the page that carries the token must not be able
 * to read how its visitor is identified. Tokens are not stored.
 */
export function sealTalkToken(sealer: Pick<Sealer, 'seal'>, token: TalkToken): string {
  return `${PREFIX}${sealed(sealer, token, TALK)}`;
}

/** Decrypts a token. Returns undefined if Parley did not encrypt it. The caller must check the expiry. */
export function openTalkToken(sealer: Pick<Sealer, 'open'>, text: string): TalkToken | undefined {
  if (!text.startsWith(PREFIX)) return undefined;
  return opened(sealer, text.slice(PREFIX.length), TALK) as TalkToken | undefined;
}

/**
 * Returns the key by which the rate limits identify a valid token. Variants of a token that decode to the same bytes,
 * such as one with extra spaces, have the same key.
 */
export function tokenKey(text: string): string {
  const bytes = Buffer.from(text.slice(PREFIX.length), 'base64url');
  return createHash('sha256').update(bytes).digest('base64');
}

export function sealResume(sealer: Pick<Sealer, 'seal'>, resume: ResumeToken): string {
  return sealed(sealer, resume, RESUME);
}

/** Decrypts a resume token. Returns undefined if Parley did not encrypt it, or if it does not match the talk token. */
export function openResume(
  sealer: Pick<Sealer, 'open'>,
  text: string,
  token: TalkToken,
): ResumeToken | undefined {
  const resume = opened(sealer, text, RESUME) as ResumeToken | undefined;
  const isTheirs = SAME.every((name) => resume?.[name] === token[name]);
  return isTheirs ? resume : undefined;
}

const PREFIX = 'talk_';
/**
 * Purpose of a token. The encryption authenticates the purpose, so that a token of one kind is rejected where the other
 * kind is expected.
 */
const TALK = 'a talk token';
const RESUME = 'a talk that goes on';
const SAME = ['by', 'namespace', 'agentId', 'origin', 'userId', 'test'] as const;

function sealed(sealer: Pick<Sealer, 'seal'>, what: object, place: string): string {
  return sealer.seal(JSON.stringify(what), place).toString('base64url');
}

/**
 * Decrypts and parses a token. The result has the expected type, because only this file encrypts tokens for these
 * purposes.
 */
function opened(sealer: Pick<Sealer, 'open'>, text: string, place: string): unknown {
  try {
    return JSON.parse(sealer.open(Buffer.from(text, 'base64url'), place));
  } catch {
    return undefined;
  }
}
