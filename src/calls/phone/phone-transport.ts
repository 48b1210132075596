import { fromUuid } from '../../ids.ts';
import { reasonOf } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { markDialed } from '../lines/lines.sql.ts';
import type { Account, Accounts } from '../providers/find-account.ts';
import { DialRefused } from '../../carriers/ask-carrier.ts';
import type { Transport } from '../transport.ts';
import { pathsOf } from '../../carriers/carrier.ts';
import type { CarrierApis } from '../../carriers/carriers.ts';

export type PhoneTransportDeps = {
  pool: Pool;
  accounts: Pick<Accounts, 'byId'>;
  apis: CarrierApis;
  baseUrl: () => string;
  log: Logger;
};

/** Time in ms that the carrier has to report the result once the ringing has ended. */
const TOLD_MS = 30_000;

/**
 * Creates the transport for calls over the public telephone network. It dials each call only once: before it dials, it
 * stores the time in the call's row. After a crash, another process finds the stored time and looks for the call at the
 * carrier instead of dialing again.
 */
export function createPhoneTransport(deps: PhoneTransportDeps): Transport {
  const { accounts, apis, log, pool } = deps;

  async function accountOf(telephonyProviderId: string | null): Promise<Account | undefined> {
    return telephonyProviderId === null ? undefined : accounts.byId(telephonyProviderId);
  }

  return {
    keepable: async (options) => options,
    eventAt: ({ step }) =>
      step === 0 ? { event: { type: 'ringing' }, nextAfterMs: null } : undefined,
    place: async (call) => {
      const account = await accountOf(call.telephonyProviderId);
      if (!account) throw new DialRefused("the call's TelephonyProvider was deleted");
      if (!account.outbound)
        throw new DialRefused("the call's TelephonyProvider has no `outbound`");
      const api = apis[account.type]!;
      const { from, to } = call;
      if (from === null || to === null)
        throw new DialRefused('the call has no number to call, or no number to call from');
      const { ringSec, voicemailMessage } = account.outbound;
      const dialedMs = await markDialed(pool, { id: call.id, ms: ringSec * 1_000 + TOLD_MS });
      const there =
        dialedMs === null
          ? undefined
          : // Prefers an ID from a webhook, because a new call appears in the carrier's list only after a delay.
            (call.providerCallId ??
            (await api.findDialed(account, { from, to, sinceMs: dialedMs })));
      if (there !== undefined) return { providerCallId: there };
      await failpoint('call.dialing');
      const of = `?call=${fromUuid('call', call.id)}`;
      const { voice, status } = pathsOf(account.type);
      const providerCallId = await api.dial(account, {
        from,
        to,
        url: `${deps.baseUrl()}${voice}${of}`,
        statusCallback: `${deps.baseUrl()}${status}${of}`,
        ringSec,
        detectsMachine: voicemailMessage !== undefined,
      });
      await failpoint('call.dialed');
      return { providerCallId };
    },
    // Does nothing, because the agent's words are sent over the line.
    say: async () => undefined,
    hangUp: async ({ id, telephonyProviderId, providerCallId }) => {
      try {
        const account = await accountOf(telephonyProviderId);
        if (account && providerCallId !== null)
          await apis[account.type]!.hangUp(account, providerCallId);
      } catch (error) {
        log.warn({ reason: reasonOf(error), call: id }, 'could not hang up at the carrier');
      }
    },
    ask: async ({ id, telephonyProviderId, providerCallId }) => {
      try {
        const account = await accountOf(telephonyProviderId);
        if (!account || providerCallId === null) return undefined;
        return await apis[account.type]!.stateOf(account, providerCallId);
      } catch (error) {
        log.warn(
          { reason: reasonOf(error), call: id },
          'could not read the state of a call from the carrier',
        );
        return undefined;
      }
    },
  };
}
