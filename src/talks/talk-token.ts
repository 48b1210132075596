import { createHash } from 'node:crypto';
import type { Variables } from '../conversations/record/conversations.sql.ts';
import type { Sealer } from '../platform/postgres/sealing.ts';

/** The rights of a talk token, and its end (contract/talks.md#tokens). */
export type TalkToken = {
  /** `widget`: a stranger's, from a page of an allowed origin; `server`: of whoever has a key. */
  by: 'widget' | 'server';
  namespace: string;
  /** uuid */
  agentId: string;
  /** Unix seconds. */
  expiresAt: number;
  /** Whose pages may use it; null: any. */
  origin: string | null;
  /** null: the one that is live as a talk begins. */
  version: number | null;
  test: boolean;
  userId: string | null;
  variables: Variables;
  metadata: Record<string, string>;
};

/** The talk that is resumed. It needs a token of the same kind, agent, origin and user. */
export type ResumeToken = Pick<
  TalkToken,
  'by' | 'namespace' | 'agentId' | 'origin' | 'userId' | 'test'
> & {
  mode: 'chat' | 'voice';
  /** uuid */
  conversationId: string;
  /** uuid; null: in writing. */
  callId: string | null;
};

/** Sealed, not signed: the page that carries it need not read who its visitor is to you. Nothing is stored. */
export function sealTalkToken(sealer: Pick<Sealer, 'seal'>, token: TalkToken): string {
  return `${PREFIX}${sealed(sealer, token, TALK)}`;
}

/** undefined: it is not ours. Whether its time is over is for the caller to see. */
export function openTalkToken(sealer: Pick<Sealer, 'open'>, text: string): TalkToken | undefined {
  if (!text.startsWith(PREFIX)) return undefined;
  return opened(sealer, text.slice(PREFIX.length), TALK) as TalkToken | undefined;
}

/** Identifies a token that opens. Spellings that decode to the same bytes, such as one with spaces, have one key. */
export function tokenKey(text: string): string {
  const bytes = Buffer.from(text.slice(PREFIX.length), 'base64url');
  return createHash('sha256').update(bytes).digest('base64');
}

export function sealResume(sealer: Pick<Sealer, 'seal'>, resume: ResumeToken): string {
  return sealed(sealer, resume, RESUME);
}

/** undefined: it is not ours, or not for whoever has this token. */
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
/** A token of one kind is none of the other: the place is authenticated. */
const TALK = 'a talk token';
const RESUME = 'a talk that goes on';
const SAME = ['by', 'namespace', 'agentId', 'origin', 'userId', 'test'] as const;

function sealed(sealer: Pick<Sealer, 'seal'>, what: object, place: string): string {
  return sealer.seal(JSON.stringify(what), place).toString('base64url');
}

/** What we sealed there is what was sealed. */
function opened(sealer: Pick<Sealer, 'open'>, text: string, place: string): unknown {
  try {
    return JSON.parse(sealer.open(Buffer.from(text, 'base64url'), place));
  } catch {
    return undefined;
  }
}
