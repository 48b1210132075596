import { reasonOf } from '../../errors.ts';
import type { RingPerson } from '../../conversations/record/conversation-deps.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { readCallById } from '../calls.sql.ts';
import { requireCallable } from '../providers/choose-provider.ts';
import { askTransfer } from './acts.sql.ts';
import { BEFORE_RINGING_SEC, requireConnected, type ActDeps } from './transfer-call.ts';

type Deps = Pick<ActDeps, 'accounts' | 'wakeLine'> & { log: Logger };

/**
 * Creates the hook that runs when an agent escalates a conversation to a human. If the conversation belongs to a
 * carrier call, the hook requests a transfer to the number that the agent declares for escalations. The request is
 * stored in the escalation's transaction. If the call cannot be transferred or the number may not be called, the hook
 * logs a warning, and the escalation proceeds as on other channels.
 */
export function createRingPerson({ accounts, log, wakeLine }: Deps): RingPerson {
  return async ({ db, later }, { conversation: { callId }, escalationId, to }) => {
    const call = callId === null ? undefined : await readCallById(db, callId);
    // A simulated call cannot be transferred, and neither can a call that is already being transferred.
    if (!call || call.telephonyProviderId === null || call.status !== 'in_progress')
      return undefined;
    try {
      const { account } = await requireConnected({ accounts }, call);
      const { ringSec } = await requireCallable(account, to, '/to');
      if (!(await askTransfer(db, { id: call.id, to, escalationId }))) return undefined;
      later(() => wakeLine(call.id));
      return BEFORE_RINGING_SEC + ringSec;
    } catch (error) {
      log.warn(
        { reason: reasonOf(error), call: call.id },
        'cannot transfer the call for an escalation',
      );
      return undefined;
    }
  };
}
