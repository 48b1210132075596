import { reasonOf } from '../../errors.ts';
import type { RingPerson } from '../../conversations/record/conversation-deps.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { readCallById } from '../calls.sql.ts';
import { requireCallable } from '../choose-provider.ts';
import { askTransfer } from './acts.sql.ts';
import { BEFORE_RINGING_SEC, requireConnected, type ActDeps } from './transfer-call.ts';

type Deps = Pick<ActDeps, 'accounts' | 'wakeLine'> & { log: Logger };

/**
 * Where a human is asked for in a call over a carrier, the call is given to the agent's number of people, in the
 * transaction of the request. A call that cannot be given away, or a number that may not be called, is told of in
 * the log, and people are asked as anywhere else.
 */
export function createRingPerson({ accounts, log, wakeLine }: Deps): RingPerson {
  return async ({ db, later }, { conversation: { callId }, escalationId, to }) => {
    const call = callId === null ? undefined : await readCallById(db, callId);
    // One that is simulated, or goes elsewhere already, rings nobody.
    if (!call || call.telephonyProviderId === null || call.status !== 'in_progress')
      return undefined;
    try {
      // The call of a conversation that begins is its own a moment later.
      const { account } = await requireConnected({ accounts }, call);
      const { ringSec } = await requireCallable(account, to, '/to');
      if (!(await askTransfer(db, { id: call.id, to, escalationId }))) return undefined;
      later(() => wakeLine(call.id));
      return BEFORE_RINGING_SEC + ringSec;
    } catch (error) {
      log.warn({ reason: reasonOf(error), call: call.id }, 'nobody is rung for an escalation');
      return undefined;
    }
  };
}
