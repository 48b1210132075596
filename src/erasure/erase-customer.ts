import { recordAudit, type AuditedBy } from '../audit/audit-log.sql.ts';
import { endCall, type EndCallDeps } from '../calls/end-call.ts';
import { anyCallOf, countLoneCallsOf, eraseCall } from '../calls/customer-calls.sql.ts';
import {
  countAllConversationsOf,
  nextConversationOf,
} from '../conversations/customer-conversations.sql.ts';
import { inConversation } from '../conversations/record/conversation-deps.ts';
import { lockConversation } from '../conversations/record/conversations.sql.ts';
import { ApiError, found, reasonOf } from '../errors.ts';
import type { Erasing } from '../events/erase-events.sql.ts';
import { failpoint } from '../failpoints.ts';
import { fromUuid, newUuid } from '../ids.ts';
import { eraseAnswersAbout } from '../platform/idempotency/idempotency-marks.sql.ts';
import type { Logger } from '../platform/observability/logger.ts';
import { inTransaction } from '../platform/postgres/transaction.ts';
import {
  advanceErasure,
  finishErasure,
  insertErasure,
  listOldestRunning,
  lockRunningErasure,
  readRunningErasure,
  type CustomerErasureRow,
} from './customer-erasures.sql.ts';
import { eraseLocked, type ErasureDeps } from './erase-conversation.ts';

/**
 * Dependencies of customer erasures, which erase all data about a customer. An erasure runs in the background, one
 * object at a time: each transaction erases one conversation or call and counts it. If a process dies, its transaction
 * is rolled back, and another process continues. No object is ever left half erased.
 */
export type EraseCustomerDeps = ErasureDeps & EndCallDeps & { log: Logger };

/** Number of conversations and calls to erase in one namespace before those of the next namespace. */
const AT_ONCE = 20;
/**
 * Maximum number of conversations and calls counted for the total of a new erasure. If there are more, the total grows
 * as they are erased.
 */
const COUNTED_MAX = 100_000;

/**
 * Starts the erasure of a customer and adds it to the audit log. If an erasure is already running, returns that one.
 * @throws ApiError not_found if there is no data about the customer
 */
export async function requestErasure(
  deps: Pick<EraseCustomerDeps, 'pool' | 'nowMs'>,
  by: AuditedBy,
  { userId, events }: { userId: string; events: Erasing['events'] },
): Promise<CustomerErasureRow> {
  const { namespace, actor } = by;
  const customer = { namespace, userId };
  return inTransaction(deps.pool, async (db) => {
    const conversations = await countAllConversationsOf(db, { ...customer, max: COUNTED_MAX });
    const calls = await countLoneCallsOf(db, { ...customer, max: COUNTED_MAX });
    const isKnown = conversations + calls > 0 || (await anyCallOf(db, customer)) !== undefined;
    const running = await readRunningErasure(db, customer);
    if (running || !isKnown) return found(running, 'customer');
    const id = newUuid(deps.nowMs());
    const row = { id, ...customer, actor, events, total: conversations + calls };
    const erasure = await insertErasure(db, row);
    // If nothing was inserted, another request inserted an erasure of this customer at the same moment. That request
    // has already committed, because the insert above waited for it.
    if (!erasure) return found(await readRunningErasure(db, customer), 'customer');
    // The audit log entry has no `user_id`, because the audit log is never erased.
    const detail = { events, conversations, calls };
    const target = fromUuid('era', id);
    await recordAudit(db, by, { action: 'customer.erased', target, detail });
    return erasure;
  });
}

/**
 * Runs erasures until none is left or `signal` aborts. Namespaces take turns. Always resolves to false: erasures that
 * failed, or that another process was working on, wait for the next scheduled run.
 */
export async function runErasures(deps: EraseCustomerDeps, signal: AbortSignal): Promise<boolean> {
  for (let hasMoved = true; hasMoved && !signal.aborted;) {
    hasMoved = false;
    for (const { id } of await listOldestRunning(deps.pool)) {
      hasMoved = (await eraseSome(deps, id, signal)) || hasMoved;
    }
  }
  return false;
}

/** Erases the next objects of a customer, at most `AT_ONCE`. Returns false if this failed or made no progress. */
async function eraseSome(
  deps: EraseCustomerDeps,
  id: string,
  signal: AbortSignal,
): Promise<boolean> {
  let hasMoved = false;
  try {
    for (let count = 0; count < AT_ONCE && !signal.aborted; count += 1) {
      const next = await eraseNext(deps, id);
      if (next === 'busy') break;
      hasMoved = true;
      if (next === 'done') break;
      if (typeof next === 'object') await endUnanswered(deps, next);
    }
  } catch (error) {
    // This erasure is tried again in the next run. The erasures of other namespaces continue in this run.
    const erasure = fromUuid('era', id);
    deps.log.warn({ reason: reasonOf(error), erasure }, 'erasing a customer failed; retrying');
    return false;
  }
  return hasMoved;
}

/**
 * Result of one step. `busy` means that another process is working on the erasure, or that the erasure is over. An
 * object identifies a call that must end before it can be erased.
 */
type Step = 'busy' | 'erased' | 'done' | { namespace: string; id: string };

async function eraseNext(deps: EraseCustomerDeps, id: string): Promise<Step> {
  await failpoint('erasure.erasing');
  return inConversation<Step>(deps, async (transaction) => {
    const { db } = transaction;
    const erasure = await lockRunningErasure(db, id);
    if (!erasure) return 'busy';
    const { namespace, events } = erasure;
    const cursor = await nextConversationOf(db, erasure);
    if (cursor !== undefined) {
      const row = await lockConversation(db, { namespace, id: cursor });
      if (!row) return 'erased'; // Another request has just erased this conversation.
      const { canceledCount } = await eraseLocked(deps, transaction, { row, events });
      await advanceErasure(db, { id, canceled: canceledCount, cursor });
      return 'erased';
    }
    const call = await anyCallOf(db, erasure);
    if (call?.isUnanswered) return { namespace, id: call.id };
    if (call) {
      await eraseCall(db, call.id);
      await eraseAnswersAbout(db, call.id);
      await advanceErasure(db, { id, canceled: 0 });
      return 'erased';
    }
    await finishErasure(db, id);
    return 'done';
  });
}

/** Ends a call that nobody has answered yet. If somebody answers it at this moment, its conversation ends too. */
async function endUnanswered(
  deps: EraseCustomerDeps,
  call: { namespace: string; id: string },
): Promise<void> {
  try {
    await endCall(deps, call);
  } catch (error) {
    if (!(error instanceof ApiError && ['call_ended', 'not_found'].includes(error.code)))
      throw error;
  }
}
