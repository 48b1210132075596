import type { Pool } from '../../platform/postgres/pool.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import { CALL_COLUMNS, CALL_LIVE, type CallRow } from '../calls.sql.ts';
import { fromUuid } from '../../ids.ts';
import { WEB_VOICE } from './web-voice.ts';

/** A call from a web page. IDs are UUIDs. */
export type WebCall = Pick<
  CallRow,
  'id' | 'namespace' | 'agentId' | 'agentVersion' | 'userId' | 'variables' | 'metadata'
> & {
  /** Maximum number of concurrent web calls with this agent. Null means no limit. */
  maxConcurrent: number | null;
};

/** Time that a web page has to open the line. Pages open it immediately. */
const UNCONNECTED_MS = 10_000;

/**
 * Inserts a call. Returns undefined if the agent already has the maximum number of calls. The statement counts the
 * agent's live calls across all processes, using an index. A lock per agent prevents concurrent requests from exceeding
 * the limit together.
 */
export function insertWebCall(pool: Pool, call: WebCall): Promise<CallRow | undefined> {
  return inTransaction(pool, async (db) => {
    if (call.maxConcurrent !== null) {
      await db.query(
        `select pg_advisory_xact_lock(hashtextextended('parley web calls ' || $1::text, 0))`,
        [call.agentId],
      );
    }
    const { rows } = await db.query<CallRow>({
      name: 'insert_web_call',
      text: `insert into calls (id, namespace, agent_id, agent_version, direction, status, provider,
                                provider_call_id, user_id, variables, metadata, due_at, line_until)
             select $1, $2, $3, $4, 'inbound', 'ringing', '${WEB_VOICE}', $5, $6, $7, $8, null,
                    clock_timestamp() + $10 * interval '1 ms'
              where $9::int is null or $9 > (select count(*) from calls
                     where agent_id = $3 and provider = '${WEB_VOICE}' and ${CALL_LIVE})
             returning ${CALL_COLUMNS}`,
      values: [
        call.id,
        call.namespace,
        call.agentId,
        call.agentVersion,
        `web_${fromUuid('call', call.id).slice('call_'.length)}`,
        call.userId,
        call.variables,
        call.metadata,
        call.maxConcurrent,
        UNCONNECTED_MS,
      ],
    });
    return rows[0];
  });
}
