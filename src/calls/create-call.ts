import { ApiError } from '../errors.ts';
import { newUuid } from '../ids.ts';
import type { AgentContent } from '../agents/agent.ts';
import { readLiveContent } from '../agents/agent-versions.sql.ts';
import { redact } from '../conversations/redaction/redact.ts';
import type { TransportOf } from './transport.ts';
import { SIMULATED } from './transports/simulated.ts';
import { insertCall, type CallRow, type NewCall } from './calls.sql.ts';
import { chooseProvider, requireRoomToDial } from './providers/choose-provider.ts';
import type { Accounts } from './providers/find-account.ts';
import type { Db, Pool } from '../platform/postgres/pool.ts';
import { inTransaction } from '../platform/postgres/transaction.ts';
import { noCommitHook, type CommitHook } from '../platform/postgres/commit-hook.ts';

export type CreateCallDeps = {
  pool: Pool;
  nowMs: () => number;
  transportOf: TransportOf;
  accounts: Pick<Accounts, 'byName' | 'numbersOf'>;
  /** Notifies the call player (`createCallPlayer`) of a new call. Does not wait and never throws. */
  wakeCalls: () => void;
};

export type CallToCreate = Omit<NewCall, 'id' | 'telephonyProviderId' | 'agentVersion'>;

/**
 * Queues a call, which any API process may place. The call uses the agent version to which the calling number is bound.
 * If the number is not bound to a version, the call uses the version that is live when it is answered.
 * @throws ApiError invalid_body (unknown agent, provider or number, or a country that may not be called),
 * not_published, rate_limited, too_many_in_flight
 */
export async function createCall(
  deps: CreateCallDeps,
  asked: CallToCreate,
  beforeCommit: CommitHook<CallRow> = noCommitHook,
): Promise<CallRow> {
  const chosen = asked.provider === SIMULATED ? undefined : await chooseProvider(deps, asked);
  const call = { ...asked, ...(chosen?.call ?? SIMULATED_CALL) };
  const created = await inTransaction(deps.pool, async (db) => {
    const content = await requireContent(db, call);
    if (chosen) await requireRoomToDial(db, chosen.account);
    const options = await keepable(deps, call, content);
    const row = await insertCall(db, { ...call, ...options, id: newUuid(deps.nowMs()) });
    await beforeCommit(db, row);
    return row;
  });
  deps.wakeCalls();
  return created;
}

const SIMULATED_CALL = { telephonyProviderId: null, agentVersion: null };

async function requireContent(
  db: Db,
  call: Pick<CallToCreate, 'namespace' | 'agentId'>,
): Promise<AgentContent> {
  const live = await readLiveContent(db, { namespace: call.namespace, id: call.agentId });
  if (!live) throw noSuchAgent();
  if (live.content !== null) return live.content;
  throw new ApiError('not_published', 'The agent has no live version. Publish the agent first.');
}

/**
 * Redacts the script of a simulated call by the rules of the version that is live now. If a newer version with more
 * rules answers the call, its rules are applied to the user's words as they are spoken.
 */
async function keepable(
  { transportOf }: CreateCallDeps,
  call: Omit<NewCall, 'id'>,
  content: AgentContent,
): Promise<Pick<NewCall, 'providerOptions'>> {
  const transport = transportOf(call);
  return {
    providerOptions: await transport.keepable(call.providerOptions, (text) =>
      redact(text, content),
    ),
  };
}

function noSuchAgent(): ApiError {
  const detail = 'There is no such agent.';
  return new ApiError('invalid_body', detail, {
    errors: [{ pointer: '/agent_id', code: 'unknown_agent', detail }],
  });
}
