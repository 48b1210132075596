import type { AgentContent } from '../../agents/agent.ts';
import { readLiveContent, readVersionToTalk } from '../../agents/agent-versions.sql.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { readForTurn } from '../record/conversations.sql.ts';
import type { BroughtTurn } from '../record/turns.sql.ts';
import { mayHoldAny, redactHistory } from '../redaction/redact.ts';

type Request = {
  namespace: string;
  /** uuids */
  agentId: string;
  version: number | undefined;
  conversationId: string | undefined;
  said: readonly BroughtTurn[];
};

/**
 * The messages of a request as they may be kept, for the hashes by which a talk is found again: not even a hash
 * is kept of what the agent asks to be taken out. The words of the turn stay as they came: they are redacted by
 * the version that the conversation has.
 */
export async function redactSaid(pool: Pool, request: Request): Promise<readonly BroughtTurn[]> {
  const { said } = request;
  if (!said.some(({ role, text }) => role === 'user' && mayHoldAny(text))) return said;
  const content = await readContent(pool, request);
  if (!content?.redaction) return said; // Of an agent that is not there its refusal follows.
  return redactHistory(said, content);
}

async function readContent(pool: Pool, request: Request): Promise<AgentContent | null> {
  const { namespace, agentId, version, conversationId } = request;
  if (conversationId !== undefined) {
    return (await readForTurn(pool, { namespace, id: conversationId }))?.content ?? null;
  }
  const read =
    version === undefined
      ? await readLiveContent(pool, { namespace, id: agentId })
      : await readVersionToTalk(pool, { namespace, id: agentId, version });
  return read?.content ?? null;
}
