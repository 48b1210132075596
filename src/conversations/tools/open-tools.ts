import type { AddressGuard } from '../../platform/egress/address-guard.ts';
import { createEgressClient } from '../../platform/egress/client.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { createCallPlaces } from './call-places.ts';
import { createMakeToolBox } from './tool-box.ts';
import type { MakeToolBox } from './tool.ts';

/** The longest time-out a tool may have; what bounds an answer is the tool's own. */
const BODY_MS_MAX = 60_000;

/** The tools of a process, with the connections they use; `stop` waits for calls under way. */
export function openTools(deps: { guard: AddressGuard; version: string; log: Logger }): {
  makeToolBox: MakeToolBox;
  stop: () => Promise<void>;
} {
  const egress = createEgressClient({ guard: deps.guard, bodyGraceMs: BODY_MS_MAX });
  const makeToolBox = createMakeToolBox({
    send: egress.send,
    userAgent: `parley/${deps.version}`,
    places: createCallPlaces(),
    clockMs: () => performance.now(),
    log: deps.log,
  });
  return { makeToolBox, stop: egress.stop };
}
