import type { CarrierOf } from '../../calls/carriers/carrier.ts';
import { createCarriers } from '../../calls/carriers/carriers.ts';
import { relaySocket } from '../../calls/carriers/twilio/relay-socket.ts';
import { createTwilioApi } from '../../calls/carriers/twilio/twilio-api.ts';
import { createTwilioCarrier } from '../../calls/carriers/twilio/twilio-carrier.ts';
import { createLines, type Lines } from '../../calls/lines/lines.ts';
import type { TalkDeps } from '../../calls/lines/talk.ts';
import { createAccounts, type Accounts } from '../../calls/providers/find-account.ts';
import { createEgressClient } from '../../platform/egress/client.ts';
import type { Lookup } from '../../platform/egress/name-lookup.ts';
import { createSockets, type Sockets } from '../../platform/http/sockets/sockets.ts';
import type { RoleContext } from '../context.ts';

/** What calls over the public network go by. */
export type Telephony = {
  accounts: Accounts;
  carrierOf: CarrierOf;
  stop: () => Promise<void>;
};

export function openTelephony(
  deps: Pick<RoleContext, 'pool' | 'sealer' | 'guard' | 'log'> & {
    clockMs: () => number;
    lookup?: Lookup | undefined;
    baseUrl: () => string;
  },
): Telephony {
  const { clockMs, guard, lookup } = deps;
  const accounts = createAccounts({ ...deps, nowMs: clockMs });
  const egress = createEgressClient({ guard, ...(lookup && { lookup }) });
  const carried = createTwilioCarrier({ ...deps, accounts, api: createTwilioApi({ egress }) });
  return { accounts, carrierOf: createCarriers({ carried }), stop: egress.stop };
}

/** The lines that this process holds, and the sockets that they come by. */
export function openLines(deps: TalkDeps): { lines: Lines; sockets: Sockets } {
  const lines = createLines(deps);
  return { lines, sockets: createSockets([relaySocket({ ...deps, lines })], deps) };
}
