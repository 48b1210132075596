import { ApiError } from '../errors.ts';
import { newUuid } from '../ids.ts';
import type { AgentContent } from '../agents/agent.ts';
import { readLiveContent } from '../agents/agent-versions.sql.ts';
import { redact } from '../conversations/redaction/redact.ts';
import { PROVIDERS } from './providers/providers.ts';
import { insertCall, type CallRow, type NewCall } from './calls.sql.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { inTransaction } from '../platform/postgres/transaction.ts';
import { noCommitHook, type CommitHook } from '../platform/postgres/commit-hook.ts';

export type CreateCallDeps = {
  pool: Pool;
  nowMs: () => number;
  /** Wakes the player. Never waits, never fails. */
  wakeCalls: () => void;
};

/**
 * Queues a call; whichever API process finds it places it. The agent's version is the one that is
 * live when the call is answered.
 * @throws ApiError invalid_body (no such agent), not_published
 */
export async function createCall(
  deps: CreateCallDeps,
  call: Omit<NewCall, 'id'>,
  beforeCommit: CommitHook<CallRow> = noCommitHook,
): Promise<CallRow> {
  const created = await inTransaction(deps.pool, async (db) => {
    const live = await readLiveContent(db, { namespace: call.namespace, id: call.agentId });
    if (!live) throw noSuchAgent();
    const { content } = live;
    if (content === null) {
      throw new ApiError('not_published', 'the agent was never published: publish it first');
    }
    const options = await keepable(call, content);
    const row = await insertCall(db, { ...call, ...options, id: newUuid(deps.nowMs()) });
    await beforeCommit(db, row);
    return row;
  });
  deps.wakeCalls();
  return created;
}

/** By the version that is live now; what one that comes until then asks for too is done when it is said. */
async function keepable(
  { provider, providerOptions }: Omit<NewCall, 'id'>,
  content: AgentContent,
): Promise<Pick<NewCall, 'providerOptions'>> {
  const kept = PROVIDERS[provider]?.keepable(providerOptions, (text) => redact(text, content));
  return { providerOptions: (await kept) ?? providerOptions };
}

function noSuchAgent(): ApiError {
  const detail = 'there is no such agent';
  return new ApiError('invalid_body', detail, {
    errors: [{ pointer: '/agent_id', code: 'unknown_agent', detail }],
  });
}
