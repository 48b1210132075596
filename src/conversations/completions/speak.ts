import { readVersionLanguage } from '../../agents/agent-versions.sql.ts';
import { fromUuid } from '../../ids.ts';
import type { Plan } from '../../platform/idempotency/plan.ts';
import type { CommitHook } from '../../platform/postgres/commit-hook.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { readConversation } from '../record/conversations.sql.ts';
import type { ConversationDeps } from '../record/conversation-deps.ts';
import { listTurns, type MessageResult, type TurnRow } from '../record/turns.sql.ts';
import type { TakeTurn } from '../turns/take-turn.ts';
import { found } from '../../errors.ts';
import { sentencesIn } from '../sentences/sentences.ts';
import type { OpenTalk } from './open-talk.ts';
import { hashNext } from './read-messages.ts';
import { saveTalk, turnRequestId, type TalkRow } from './talks.sql.ts';

export type SpeakDeps = ConversationDeps & { takeTurn: TakeTurn };

/** Result of a request: the stored turns, and the text that the client gets. */
export type Spoken = { turns: readonly TurnRow[]; content: string; agentTurn: TurnRow | undefined };

/**
 * Stores the user's turn, generates the agent's reply, and saves the state of the talk in the same commit. `streamed`
 * returns the text that the client has received so far. The saved state contains the hash of this text instead of the
 * stored reply, because the client repeats this text in later requests.
 */
export async function speak(
  deps: SpeakDeps,
  talk: OpenTalk,
  options: {
    onToken?: (text: string, isApology?: boolean) => void;
    onTool?: () => void;
    signal: AbortSignal;
    plan: Pick<Plan, 'mark'>;
    streamed: () => string;
    beforeCommit: CommitHook<Spoken>;
  },
): Promise<Spoken> {
  const { namespace, conversationId, text } = talk;
  const { onToken, onTool, signal, streamed, plan, beforeCommit } = options;
  const request = {
    id: turnRequestId(talk),
    isRetry: talk.isAgain,
    ...(plan.mark && { mark: plan.mark }),
  };
  let spoken: Spoken | undefined;
  try {
    const result = await deps.takeTurn(
      { namespace, conversationId, text, onToken, onTool, signal, request },
      async (db, value) => {
        spoken = await spokenOf(db, talk, value.turns, streamed());
        await saveTalk(db, stateOf(talk, value, spoken));
        await beforeCommit(db, spoken);
      },
    );
    return spoken ?? (await spokenOf(deps.pool, talk, result.turns, streamed()));
  } catch (error) {
    await talk.release();
    throw error;
  }
}

/**
 * Returns the response that is already stored: that of an earlier attempt of the same request, or the agent's first
 * message.
 */
export async function spokenBefore(
  deps: ConversationDeps,
  talk: OpenTalk,
  { firstIndex, turnCount }: NonNullable<OpenTalk['answered']>,
): Promise<Spoken> {
  const { namespace, conversationId: id } = talk;
  found(await readConversation(deps.pool, { namespace, id }), 'conversation');
  const limit = turnCount - firstIndex;
  const turns = await listTurns(deps.pool, { conversationId: id, from: firstIndex, limit });
  return spokenOf(deps.pool, talk, turns, '');
}

async function spokenOf(
  db: Db,
  talk: OpenTalk,
  turns: readonly TurnRow[],
  streamed: string,
): Promise<Spoken> {
  const agentTurn = turns.findLast(({ role }) => role === 'agent');
  const said = [...talk.unheard, ...(agentTurn ? [agentTurn.text] : [])].join(UNHEARD_END);
  const whole = said === '' && !agentTurn ? await passedOn(db, talk) : said;
  // Clients keep the text that was streamed to them, even if the reply was withdrawn because somebody wrote in the
  // meantime. The response must therefore begin with the streamed text. If the stored text does not begin with it, the
  // response is the streamed text alone.
  return { turns, agentTurn, content: whole.startsWith(streamed) ? whole : streamed };
}

/**
 * Returns a sentence for the user, saying that a human will take over. Without this sentence, the client would show
 * nothing until a human answers, and would seem broken.
 */
async function passedOn(db: Db, talk: OpenTalk): Promise<string> {
  return sentencesIn(await readVersionLanguage(db, talk)).passedOn;
}

/** Separator between the messages of several speakers in one response. */
export const UNHEARD_END = '\n\n';

function stateOf(
  talk: OpenTalk,
  { turns, conversation }: MessageResult,
  { agentTurn, content }: Spoken,
): Omit<TalkRow, 'ageSec'> {
  const { conversationId, request } = talk;
  const broken = agentTurn?.error ? 'failed' : 'answered';
  const status = agentTurn?.interrupted ? 'interrupted' : broken;
  const reply = { role: 'agent' as const, text: content };
  return {
    conversationId,
    request,
    status,
    state: status === 'answered' ? hashNext(request, reply) : request,
    firstIndex: turns[0]?.index ?? conversation.turnCount,
    turnCount: conversation.turnCount,
  };
}

/** Returns the identifier of the agent's version for responses (`system_fingerprint`). */
export function fingerprintOf({ agentId, agentVersion }: OpenTalk): string {
  return `${fromUuid('agt', agentId)}@${agentVersion}`;
}
