import type { Pool } from '../../platform/postgres/pool.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import { CALL_COLUMNS, CALL_LIVE, type CallRow } from '../calls.sql.ts';
import { fromUuid } from '../../ids.ts';
import { WEB_VOICE } from './web-voice.ts';

/** A call that a web page brings. Ids are uuids. */
export type WebCall = Pick<
  CallRow,
  'id' | 'namespace' | 'agentId' | 'agentVersion' | 'userId' | 'variables' | 'metadata'
> & {
  /** Most calls of web pages with this agent at once; null: as many as come. */
  maxConcurrent: number | null;
};

/** Until its line is opened, which whoever brings it does at once. */
const UNCONNECTED_MS = 10_000;

/**
 * undefined: there are as many as may be. Counted over all processes, under a lock of the agent's, so that none comes
 * too much; by an index of the live ones.
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
