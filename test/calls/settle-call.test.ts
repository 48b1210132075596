import { expect, test } from 'vitest';
import type { CallRow } from '../../src/calls/calls.sql.ts';
import { endingOf } from '../../src/calls/settle-call.ts';

/** The ending of a call, by the state that its carrier reports and its own status. */

const COMPLETED = { status: 'completed', reason: 'user_hangup' } as const;
const BUSY = { status: 'busy', reason: 'busy' } as const;
type Became = Parameters<typeof endingOf>[1];

test.each<[Partial<CallRow>, Became, string, string]>([
  // The carrier does not know the call.
  [{ status: 'in_progress' }, undefined, 'failed', 'platform_error'],
  [{ status: 'transferring' }, undefined, 'failed', 'platform_error'],
  [{ status: 'ringing', direction: 'inbound' }, undefined, 'no_answer', 'no_answer'],
  [{ status: 'ringing', direction: 'outbound' }, undefined, 'failed', 'dial_failed'],
  [{ status: 'queued', direction: 'outbound' }, undefined, 'failed', 'dial_failed'],
  // The carrier reports that the call is completed.
  [{ status: 'in_progress' }, COMPLETED, 'completed', 'user_hangup'],
  [{ status: 'transferring' }, COMPLETED, 'completed', 'user_hangup'],
  [{ status: 'ringing', direction: 'inbound' }, COMPLETED, 'no_answer', 'no_answer'],
  [{ status: 'ringing', direction: 'outbound' }, COMPLETED, 'failed', 'platform_error'],
  // The carrier reports that nobody answered the call.
  [{ status: 'ringing', direction: 'inbound' }, BUSY, 'busy', 'busy'],
  [{ status: 'in_progress' }, BUSY, 'busy', 'busy'],
  // The call was transferred to another person.
  [{ transferStatus: 'answered' }, undefined, 'completed', 'transferred'],
  [{ transferStatus: 'answered' }, COMPLETED, 'completed', 'transferred'],
  [{ transferStatus: 'answered' }, BUSY, 'busy', 'busy'],
  [{ transferStatus: 'busy' }, COMPLETED, 'completed', 'user_hangup'],
])('%j that became %j ends as %s, %s', (call, became, status, reason) => {
  const row = { status: 'in_progress', direction: 'outbound', transferStatus: null, ...call };
  expect(endingOf(row as CallRow, became)).toEqual({ status, reason });
});
