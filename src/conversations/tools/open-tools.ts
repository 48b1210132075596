import { epochMs, monotonicMs } from '../../clock.ts';
import { readHandoffTarget } from '../../agents/tools/handoffs.sql.ts';
import type { AddressGuard } from '../../platform/egress/address-guard.ts';
import { createEgressClient } from '../../platform/egress/client.ts';
import type { Lookup } from '../../platform/egress/name-lookup.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import type { Sealer } from '../../platform/postgres/sealing.ts';
import { createCallPlaces, type CallPlaces } from './call-places.ts';
import type { CallWebhookDeps } from './call-webhook.ts';
import { createMakeToolBox } from './tool-box.ts';
import { createFindToolSecrets } from './tool-secrets.ts';
import type { MakeToolBox } from './tool.ts';

/**
 * Time limit in ms for a response body: the longest timeout that a tool may declare. A tool's own timeout also covers
 * the body, and is usually shorter.
 */
const BODY_MS_MAX = 60_000;

/** Creates the functions that run tools in a process, with their connections. `stop` waits for calls in progress. */
export function openTools(deps: {
  pool: Pool;
  sealer: Sealer;
  guard: AddressGuard;
  /** DNS lookup. By default, the system's resolver is used. */
  lookup?: Lookup | undefined;
  version: string;
  log: Logger;
}): {
  makeToolBox: MakeToolBox;
  /**
   * Dependencies of a single tool call outside a conversation. It shares its limits with the calls in conversations.
   */
  calling: CallWebhookDeps & { places: CallPlaces };
  stop: () => Promise<void>;
} {
  const egress = createEgressClient({
    guard: deps.guard,
    ...(deps.lookup && { lookup: deps.lookup }),
    bodyGraceMs: BODY_MS_MAX,
  });
  const calling = {
    send: egress.send,
    userAgent: `parley/${deps.version}`,
    places: createCallPlaces(),
    findSecrets: createFindToolSecrets(deps),
    nowMs: epochMs,
  };
  const makeToolBox = createMakeToolBox({
    ...calling,
    findTarget: (from) => readHandoffTarget(deps.pool, from),
    clockMs: monotonicMs,
    log: deps.log,
  });
  return { makeToolBox, calling, stop: egress.stop };
}
