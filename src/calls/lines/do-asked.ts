import { reasonOf } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { takeAsked } from '../acts/acts.sql.ts';
import { readCall } from '../calls.sql.ts';
import type { Line } from '../../voice/session/line.ts';
import type { HeldCall } from './lines.sql.ts';
import type { AgentSession } from '../../voice/session/agent-session.ts';

/** A line that this process owns, and its call. */
export type ActingLine = {
  call: HeldCall;
  session: Pick<AgentSession, 'press' | 'finish' | 'leave'>;
  line: Pick<Line, 'end'>;
  /** Whether the process is stopping and therefore ends the call. */
  isBrokenOff: boolean;
  /** Whether a transfer is in progress. If so, the line closes once the user has heard what the agent is saying. */
  isTransferring: boolean;
};

type Deps = { pool: Pool; log: Logger };

/**
 * Maximum time in ms for the agent to finish speaking before a transfer. The limit depends on whether an escalation or
 * an API client requested the transfer.
 */
const LAST_SENTENCE_MS = { escalation: 60_000, api: 10_000 };

/**
 * Executes the pending requests for a line. Does not wait and never throws. Failed requests are retried when the lease
 * is next renewed.
 */
export function act(deps: Deps, holding: ActingLine): void {
  doAsked(deps, holding).catch((error: unknown) => {
    const about = { reason: reasonOf(error), call: holding.call.id };
    deps.log.warn(about, 'could not transfer a call or send its DTMF tones');
  });
}

async function doAsked({ pool }: Deps, holding: ActingLine): Promise<void> {
  const { call, line, session } = holding;
  const asked = await takeAsked(pool, call);
  if (!asked) return leaveMachine(pool, holding);
  if (asked.keys !== null) session.press(asked.keys);
  if (!asked.isTransferred || holding.isTransferring) return;
  holding.isTransferring = true;
  await session.finish(LAST_SENTENCE_MS[asked.escalationId === null ? 'api' : 'escalation']);
  await failpoint('transfer.closing');
  // When the socket has closed, the carrier requests further instructions.
  if (!holding.isBrokenOff) line.end('transfer');
}

/**
 * Closes the line if an answering machine has answered the call. The carrier then requests more XML, which speaks the
 * voicemail message.
 */
async function leaveMachine(
  pool: Pool,
  { call, line, session }: Pick<ActingLine, 'call' | 'line' | 'session'>,
): Promise<void> {
  const now = await readCall(pool, call);
  if (now?.endedReason !== 'voicemail') return;
  session.leave();
  line.end();
}
