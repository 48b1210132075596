import { createRingPerson } from '../../../calls/acts/ring-person.ts';
import { createPhoneTransport } from '../../../calls/phone/phone-transport.ts';
import { createAccounts, type Accounts } from '../../../calls/providers/find-account.ts';
import type { TransportOf } from '../../../calls/transport.ts';
import { createTransports } from '../../../calls/transports/transports.ts';
import { createCarrierApis } from '../../../carriers/carriers.ts';
import type { RingPerson } from '../../../conversations/record/conversation-deps.ts';
import { createEgressClient } from '../../../platform/egress/client.ts';
import type { Lookup } from '../../../platform/egress/name-lookup.ts';
import { CHANNELS } from '../../../platform/postgres/notifications.ts';
import type { Infrastructure } from '../infrastructure.ts';
import type { Module } from './module.ts';

export type Telephony = Module & {
  accounts: Accounts;
  transportOf: TransportOf;
  /** Calls a human agent on the phone because of an escalation. */
  ring: RingPerson;
  /** Wakes the process that handles the call with this UUID. Never waits. */
  wakeLine: (callId: string) => void;
  stop: () => Promise<void>;
};

/**
 * Creates the module for telephony: the declared carrier accounts, and the clients of the carriers' REST APIs. The
 * routes of TelephonyProvider are generated from its kind.
 */
export function createTelephony(
  infrastructure: Infrastructure,
  { lookup }: { lookup?: Lookup | undefined },
): Telephony {
  const { pool, sealer, guard, log, notifier, clockMs, baseUrl } = infrastructure;
  const accounts = createAccounts({ pool, sealer, nowMs: clockMs });
  infrastructure.cacheDeclarations(accounts.look);
  const egress = createEgressClient({ guard, ...(lookup && { lookup }) });
  const apis = createCarrierApis({ egress });
  const carried = createPhoneTransport({ pool, accounts, apis, baseUrl, log });
  const wakeLine = (callId: string): void => notifier.notify(CHANNELS.calls, [callId]);
  return {
    accounts,
    transportOf: createTransports({ carried }),
    ring: createRingPerson({ accounts, wakeLine, log }),
    wakeLine,
    stop: egress.stop,
  };
}
