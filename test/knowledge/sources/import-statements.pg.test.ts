import { expect, test } from 'vitest';
import { holdTime } from '../../clock.ts';
import { startApi } from '../../roles/api/api-setup.ts';
import { recordStatements } from '../../roles/statements.ts';

/** What it costs to import a text: a process of its own, because the sessions must open after the recording has begun. */

test('a new text is indexed in one transaction, with bounded round trips and statements', async () => {
  const statements = recordStatements();
  const api = await startApi();
  const post = async (name: string): Promise<void> => {
    const json = { type: 'text', name, text: `# ${name}\n\nWe open at nine.` };
    expect(await api.call('POST', '/v1/knowledge/sources', { json })).toMatchObject({
      status: 201,
      body: { status: 'ready' },
    });
  };
  const settle = async (): Promise<void> => {
    await statements.settled();
    statements.takeRoundTrips();
    statements.take();
  };
  try {
    await post('first');
    await settle();
    await post('alone');
    expect(statements.takeRoundTrips()).toEqual([
      [
        'begin',
        'assert_leader',
        'count_knowledge_sources_if_new',
        'mark_source_deleted',
        'lock_source',
      ],
      ['write_source'],
      ['write_document'],
      ['set', 'measure_source', 'next_position', 'drop_old_index'],
      ['insert_passages'],
      ['index_new_passages'],
      ['count_passages', 'learn_words'],
      ['insert_events', 'update_source_index'],
      ['update_source_state', 'read_source'],
      ['lock_count', 'count_knowledge_sources'],
      ['lock_count', 'sum_source_bytes'],
      ['commit'],
    ]);
    await settle();
    holdTime(); // A request that waits long for its row reads it again.
    const names = Array.from({ length: 20 }, (_, n) => `faq-${n}`);
    await Promise.all(names.map(post));
    await statements.settled();
    const sent = new Map(statements.take().map(({ name, count }) => [name, count]));
    const perText = (name: string): number => (sent.get(name) ?? 0) / names.length;
    expect(perText('write_resource')).toBe(1);
    // The status of an indexed text does not cause a second reconcile.
    expect(perText('write_status')).toBeLessThan(1.5);
    // A request reads its row before and after the indexing, and not when another row changes.
    expect(perText('read_source')).toBeLessThanOrEqual(5);
    // Changes at the same time share one look at the objects that use them.
    expect(perText('read_resources')).toBeLessThan(2);
  } finally {
    await api.stop();
  }
});
