import { expect, test } from 'vitest';
import { newUuid } from '../../../src/ids.ts';
import { claimLiveTurn } from '../../../src/conversations/record/live-turns.sql.ts';
import { addTurns } from '../../../src/conversations/record/turns.sql.ts';
import { EMPTY_TALLY } from '../../../src/conversations/record/tally.ts';
import { useRows } from '../../platform/postgres/rows.ts';
import { addConversation } from '../stored-conversations.ts';

/** PostgreSQL keeps the plans of a turn while few turns are in progress, and uses them when there are thousands. */

const MORE_THAN_POSTGRESQL_TRIES = 8;

const stored = useRows('conversations', 'live_turns');

test('a turn reads no other turn in progress, by plans that are kept', async () => {
  const id = await addConversation(stored, { agent_id: newUuid() });
  const db = await stored.pool.connect();
  try {
    for (let at = 0; at < MORE_THAN_POSTGRESQL_TRIES; at += 1) {
      const token = newUuid();
      const conversation = { id, turnCount: 0, status: 'active' } as const;
      const claim = { conversation, token, requestId: newUuid(), message: 'Hi', historyFrom: 0 };
      const fresh = { redacted: null, answersIndex: null, mark: undefined, tools: [] };
      expect(await claimLiveTurn(db, { ...claim, ...fresh })).toEqual([]);
      const add = { conversation, turns: [], tally: EMPTY_TALLY, silenceSec: 600, token };
      expect(await addTurns(db, { ...add, status: 'active' })).toMatchObject({ id });
    }
    const { rows: kept } = await db.query<{ name: string }>(
      'select name from pg_prepared_statements where generic_plans > 0 order by name',
    );
    expect(kept.map(({ name }) => name)).toEqual(['add_held_turns', 'claim_live_turn']);
    const { rows } = await db.query<{ 'QUERY PLAN': string }>(
      `explain execute add_held_turns('${id}', 0, 'active', '[]', '{}', 'active', 600, '${id}', null, null)`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    const scans = plan.match(/Scan .*on live_turns.*\n.*/g) ?? [];
    expect(scans).toHaveLength(2);
    for (const scan of scans) expect(scan).toContain('Index Cond: (conversation_id = $1)');
  } finally {
    db.release();
  }
});
