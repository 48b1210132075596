import { monotonicMs } from '../../clock.ts';
import type { ConversationDeps } from '../../conversations/record/conversation-deps.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { keepTransferred } from '../acts/acts.sql.ts';
import { somebodyCame } from '../acts/settle-transfer.ts';
import type { CallRow } from '../calls.sql.ts';
import type { TransportOf } from '../transports/transport.ts';
import { finishLost, LINE_LEASE_MS, listLost, type LostCall } from './lines.sql.ts';
import { endingOf, HUNG_UP, isTransferred, settleCall } from './settle-call.ts';
import { WEB_VOICE } from '../transports/web-voice.ts';

export type EndLostDeps = ConversationDeps & { transportOf: TransportOf; log: Logger };

const AT_ONCE = 50;
/** Between two looks that were not held up. */
const STEADY_MS = 3_000;

/**
 * Ends calls that nobody holds: their process was killed, or nobody ever answered them. The carrier is asked
 * what became of each. After the database was away no lease is renewed yet: their holders get the time to.
 */
export function createEndLost(deps: EndLostDeps): () => Promise<void> {
  let lookedMs: number | undefined;
  let patientUntilMs = -Infinity;
  return async () => {
    const nowMs = monotonicMs();
    // A first look is held up by nothing: who was there before us is gone.
    if (lookedMs !== undefined && nowMs - lookedMs > STEADY_MS)
      patientUntilMs = nowMs + LINE_LEASE_MS;
    lookedMs = nowMs;
    if (nowMs < patientUntilMs) return;
    const lost = await listLost(deps.pool, AT_ONCE);
    await Promise.all(lost.map((call) => endLost(deps, call)));
  };
}

/**
 * Nobody holds the line of a call that was transferred, and no carrier need tell of it: one that is still there
 * when its ringing must be over was answered.
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
  deps.log.warn({ call: call.id, became, ...end }, 'a call was lost, and ended');
  if (isLive) await transport.hangUp(call);
}

/** A page is asked by nobody: who held its line saw the socket break, and the visitor did not come back. */
function wasLeft({ provider, holder }: LostCall): boolean {
  return provider === WEB_VOICE && holder === null;
}
