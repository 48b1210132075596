import { monotonicMs } from '../../clock.ts';
import type { ConversationDeps } from '../../conversations/record/conversation-deps.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { keepTransferred } from '../acts/acts.sql.ts';
import { somebodyCame } from '../acts/settle-transfer.ts';
import type { CallRow } from '../calls.sql.ts';
import type { TransportOf } from '../transport.ts';
import { finishLost, LINE_LEASE_MS, listLost, type LostCall } from './lines.sql.ts';
import { endingOf, HUNG_UP, isTransferred, settleCall } from '../settle-call.ts';
import { WEB_VOICE } from '../transports/web-voice.ts';

export type EndLostDeps = ConversationDeps & { transportOf: TransportOf; log: Logger };

const AT_ONCE = 50;
/** Maximum interval in ms between two runs. After a longer interval, the job assumes that the process was paused. */
const STEADY_MS = 3_000;

/**
 * Creates the job that ends calls whose line has had no owner for too long, because the owning process was killed or
 * nobody answered the call in time. The job queries the carrier for a call's state before it ends the call. If the last
 * run was long ago, leases may have expired because this process was paused or the database was unavailable. In that
 * case, the job first waits long enough for all processes to renew their leases.
 */
export function createEndLost(deps: EndLostDeps): () => Promise<void> {
  let lookedMs: number | undefined;
  let patientUntilMs = -Infinity;
  return async () => {
    const nowMs = monotonicMs();
    // If this process was paused, it may not have renewed its own leases in time. It therefore ends no calls for the
    // duration of one lease, so that it can renew its own leases first. A process that has just started owns no lines,
    // so its first run does not wait.
    if (lookedMs !== undefined && nowMs - lookedMs > STEADY_MS)
      patientUntilMs = nowMs + LINE_LEASE_MS;
    lookedMs = nowMs;
    if (nowMs < patientUntilMs) return;
    const lost = await listLost(deps.pool, AT_ONCE);
    await Promise.all(lost.map((call) => endLost(deps, call)));
  };
}

/**
 * Returns whether the caller and the person who answered a transfer are still connected. Carriers do not always report
 * that somebody picked up. A call that is still live when its ringing time is over therefore counts as answered.
 */
async function areTalking(deps: EndLostDeps, call: CallRow): Promise<boolean> {
  if (call.transferStatus === 'ringing') await somebodyCame(deps, call, { isOver: false });
  else if (!isTransferred(call)) return false;
  return keepTransferred(deps.pool, call.id);
}

async function endLost(deps: EndLostDeps, call: LostCall): Promise<void> {
  const transport = deps.transportOf(call);
  const became = wasLeft(call) ? HUNG_UP : await transport.ask(call);
  const isLive = became === 'live' || became === undefined;
  if (isLive && (await areTalking(deps, call))) return;
  const end = endingOf(call, isLive ? undefined : became);
  const isOurs = await settleCall(deps, call, end, (db) => finishLost(db, { id: call.id, ...end }));
  if (!isOurs) return;
  deps.log.warn({ call: call.id, became, ...end }, 'ended a call that lost its connection');
  if (isLive) await transport.hangUp(call);
}

/**
 * Returns true if the visitor has left a call from a web page: the owner released the line when the connection broke,
 * and the visitor did not reconnect. Calls from web pages have no carrier to query.
 */
function wasLeft({ provider, holder }: LostCall): boolean {
  return provider === WEB_VOICE && holder === null;
}
