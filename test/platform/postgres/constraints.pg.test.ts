import { expect, test } from 'vitest';
import { CALL_STATUSES, DIRECTIONS, TRANSFER_STATUSES } from '../../../src/calls/calls.sql.ts';
import {
  CHANNELS,
  CONVERSATION_STATUSES,
} from '../../../src/conversations/record/conversations.sql.ts';
import {
  SYNC_STATUSES,
  SYNC_TRIGGERS,
} from '../../../src/knowledge/sources/knowledge-syncs.sql.ts';
import { JOB_STATUSES, REPLAY_MODES } from '../../../src/webhooks/replay/jobs.sql.ts';
import { useRows } from './rows.ts';

/** Values that the database itself refuses. */

const stored = useRows();

const VALUES: [column: string, values: readonly string[]][] = [
  ['agent_activations.action', ['published', 'rolled_back']],
  ['audit_log.outcome', ['done', 'unknown']],
  ['calls.direction', DIRECTIONS],
  ['calls.status', CALL_STATUSES],
  ['calls.transfer_status', TRANSFER_STATUSES],
  ['conversations.channel', CHANNELS],
  ['conversations.status', CONVERSATION_STATUSES],
  ['deliveries.status', ['delivered', 'failed', 'canceled']],
  ['delivery_queue.trigger', ['schedule', 'manual', 'replay', 'test']],
  [
    'escalations.status',
    ['requested', 'accepted', 'declined', 'timed_out', 'completed', 'canceled'],
  ],
  ['jobs.mode', REPLAY_MODES],
  ['jobs.status', JOB_STATUSES],
  ['jobs.type', ['replay']],
  ['knowledge_gaps.status', ['open', 'resolved']],
  ['knowledge_sources.status', ['pending', 'syncing', 'ready', 'refreshing', 'error']],
  ['knowledge_sources.type', ['website', 'file', 'text', 'integration']],
  ['knowledge_syncs.status', SYNC_STATUSES],
  ['knowledge_syncs.trigger', SYNC_TRIGGERS],
  ['openai_talks.status', ['pending', 'answered', 'failed', 'interrupted']],
  ['turns.role', ['user', 'agent', 'tool', 'human', 'system']],
];

test.each(VALUES)('%s has one of its values', async (column, values) => {
  const [table, name] = column.split('.') as [string, string];
  const { rows } = await stored.pool.query<{ text: string }>(
    `select pg_get_constraintdef(oid) as text from pg_constraint
      where contype = 'c' and conrelid = $1::regclass and pg_get_constraintdef(oid) like $2`,
    [table, `%(${name} = %`],
  );
  const texts = rows.map(({ text }) => text.replaceAll('::text', ''));
  const listed = values.map((value) => `'${value}'`).join(', ');
  const any = `CHECK ((${name} = ANY (ARRAY[${listed}])))`;
  expect(texts).toEqual([values.length === 1 ? `CHECK ((${name} = ${listed}))` : any]);
});

test('a passage is of a source, or of an agent and a gap', async () => {
  const { rows } = await stored.pool.query<{ text: string }>(
    `select pg_get_constraintdef(oid) as text from pg_constraint
      where contype = 'c' and conrelid = 'knowledge_chunks'::regclass order by 1`,
  );
  expect(rows.map(({ text }) => text)).toEqual([
    'CHECK (((source_id IS NULL) = (agent_id IS NOT NULL)))',
    'CHECK (((source_id IS NULL) = (gap_id IS NOT NULL)))',
  ]);
});

/** Rows that may exist only once. */
const UNIQUE: [columns: string, condition: string][] = [
  ['agents (namespace, name)', '(deleted_at IS NULL)'],
  [
    'calls (telephony_provider_id, provider_call_id)',
    '((telephony_provider_id IS NOT NULL) AND (provider_call_id IS NOT NULL))',
  ],
  ['escalations (conversation_id)', "(status = ANY (ARRAY['requested', 'accepted']))"],
  ['knowledge_chunks (gap_id)', '(gap_id IS NOT NULL)'],
  ['knowledge_gaps (agent_id, fingerprint)', "(status = 'open')"],
  ['knowledge_sources (namespace, name)', '(deleted_at IS NULL)'],
  ['knowledge_syncs (source_id)', "(status = ANY (ARRAY['queued', 'running']))"],
  ['model_providers (namespace, name)', '(deleted_at IS NULL)'],
  ['telephony_providers (namespace, name)', '(deleted_at IS NULL)'],
  ['webhook_endpoints (namespace, name)', '(deleted_at IS NULL)'],
];

test.each(UNIQUE)('%s is unique where %s', async (columns, condition) => {
  const table = columns.split(' ')[0]!;
  const { rows } = await stored.pool.query<{ text: string }>(
    'select indexdef as text from pg_indexes where tablename = $1',
    [table],
  );
  const shown = rows.map(({ text }) => text.replaceAll('::text', ''));
  const end = columns.slice(table.length);
  expect(shown.filter((text) => /unique/i.test(text) && text.includes(`${end} WHERE`))).toEqual([
    expect.stringContaining(`${end} WHERE ${condition}`),
  ]);
});
