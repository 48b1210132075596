import { describe, expect, test } from 'vitest';
import { newUuid } from '../../../src/ids.ts';
import { useRows, type Columns } from './rows.ts';

/** What the database itself writes beside a row. */

const stored = useRows(
  'conversations',
  'conversation_metadata',
  'agents',
  'deleted_agents',
  'knowledge_embeddings',
  'knowledge_chunks',
  'knowledge_sources',
  'knowledge_lexemes',
  'knowledge_postings',
);

const declared = () => ({ name: newUuid(), uid: newUuid(), generation: 1, managed_by: 'api' });
const add = async (table: string, columns: Columns): Promise<string> => {
  const id = newUuid();
  await stored.add(table, { id, namespace: 'default', ...columns });
  return id;
};
const first = async (sql: string, ...values: unknown[]): Promise<unknown[]> => {
  const { rows } = await stored.pool.query({ text: sql, values, rowMode: 'array' });
  return (rows as unknown as unknown[][]).map((row) => row[0]);
};

describe('the metadata of a conversation', () => {
  const addConversation = (metadata: object, columns: Columns = {}): Promise<string> => {
    const what = { agent_id: newUuid(), agent_version: 1, channel: 'chat', status: 'active' };
    const times = { max_duration_sec: 60, silence_timeout_sec: 60 };
    return add('conversations', { ...what, ...times, metadata, ...columns });
  };
  const found = (namespace: string, key: string, value: string): Promise<unknown[]> =>
    first(
      `select conversation_id from conversation_metadata
        where pair = parley_metadata_pair($1, $2, $3) order by 1`,
      namespace,
      key,
      value,
    );

  test('is found by namespace, key and value', async () => {
    const id = await addConversation({ plan: 'pro', seat: '7' });
    const other = await addConversation({ plan: 'pro' }, { namespace: 'other' });
    await addConversation({});
    expect(await found('default', 'plan', 'pro')).toEqual([id]);
    expect(await found('default', 'seat', '7')).toEqual([id]);
    expect(await found('other', 'plan', 'pro')).toEqual([other]);
    expect(await found('default', 'plan', '7')).toEqual([]);
  });

  test('is found by its new pairs after a change, and that of others as before', async () => {
    const id = await addConversation({ plan: 'pro', seat: '7' });
    const other = await addConversation({ plan: 'pro', seat: '7' });
    const change = `update conversations set metadata = $2 where id = $1`;
    await stored.pool.query(change, [id, { plan: 'free', seat: '7' }]);
    expect(await found('default', 'plan', 'free')).toEqual([id]);
    expect(await found('default', 'plan', 'pro')).toEqual([other]);
    expect(await found('default', 'seat', '7')).toEqual([id, other]);
  });
});

test('an agent is noted when it is deleted, and is no longer when it comes back', async () => {
  const [id, other] = [
    await add('agents', { ...declared(), spec: {} }),
    await add('agents', { ...declared(), spec: {} }),
  ];
  const noted = (): Promise<unknown[]> => first('select agent_id from deleted_agents order by 1');
  await stored.pool.query('update agents set deleted_at = now() where id = any($1)', [[id, other]]);
  expect(await noted()).toEqual([id, other]);
  await stored.pool.query(`update deleted_agents set look_at = 'epoch'`);
  await stored.pool.query('update agents set deleted_at = now() where id = $1', [other]);
  const times = await first('select extract(epoch from look_at)::int from deleted_agents');
  expect(times).toEqual([0, 0]);
  await stored.pool.query('update agents set deleted_at = null where id = $1', [id]);
  expect(await noted()).toEqual([other]);
});

describe('the vector of a passage', () => {
  /** Adds an owner with two passages, and a vector of each passage. */
  async function addOwner(isAnswers: boolean): Promise<{ owner: string; chunks: string[] }> {
    const source = { ...declared(), type: 'text', spec: {} };
    const owner = isAnswers ? newUuid() : await add('knowledge_sources', source);
    const embeddings = { owner_id: owner, namespace: 'default', is_answers: isAnswers };
    const model = { provider: 'default', model: 'm', embedded: 2, mark: 'all', is_complete: true };
    await stored.add('knowledge_embeddings', { ...embeddings, ...model });
    const [embeddings_id] = await first(
      'select id from knowledge_embeddings where owner_id = $1',
      owner,
    );
    const chunks = [];
    for (const position of [0, 1]) {
      const of = isAnswers ? { agent_id: owner, gap_id: newUuid() } : { source_id: owner };
      const text = { position, heading: 'h', text: 't', words: 'word' };
      const chunk_id = await add('knowledge_chunks', { ...of, ...text });
      const vector = { hash: Buffer.alloc(1), vector: Buffer.alloc(1) };
      await stored.add('knowledge_vectors', { embeddings_id, chunk_id, ...vector });
      chunks.push(chunk_id);
    }
    return { owner, chunks };
  }
  const left = (): Promise<unknown[]> => first('select chunk_id from knowledge_vectors order by 1');

  test('goes with the words of an answer, and no other vector does', async () => {
    const [own, other] = [await addOwner(true), await addOwner(true)];
    await stored.pool.query('delete from knowledge_chunks where id = $1', [own.chunks[0]]);
    expect(await left()).toEqual([own.chunks[1], ...other.chunks]);
    await stored.pool.query(`update knowledge_chunks set text = 'other' where id = $1`, [
      other.chunks[1],
    ]);
    expect(await left()).toEqual([own.chunks[1], other.chunks[0]]);
    const { rows } = await stored.pool.query(
      'select owner_id, generation, embedded, mark from knowledge_embeddings order by id',
    );
    expect(rows).toEqual([
      { owner_id: own.owner, generation: 1, embedded: 1, mark: null },
      { owner_id: other.owner, generation: 1, embedded: 1, mark: null },
    ]);
  });

  test('stays while the passage of a source is replaced', async () => {
    const { owner, chunks } = await addOwner(false);
    await addOwner(false);
    await stored.pool.query('delete from knowledge_chunks where id = $1', [chunks[0]]);
    expect(await left()).toHaveLength(4);
    const kept = await first('select mark from knowledge_embeddings where owner_id = $1', owner);
    expect(kept).toEqual(['all']);
  });
});

describe('words that a process of an older release writes', () => {
  async function addSource(...texts: string[]): Promise<string> {
    const source_id = await add('knowledge_sources', { ...declared(), type: 'text', spec: {} });
    for (const [position, text] of texts.entries()) {
      const columns = { source_id, position, heading: '', text };
      const id = await add('knowledge_chunks', { ...columns, words: '' });
      const words = `update knowledge_chunks set words = to_tsvector('simple', text) where id = $1`;
      await stored.pool.query(words, [id]);
    }
    return source_id;
  }
  const writeLexeme = (owner_id: string, lexeme: string): Promise<void> =>
    stored.add('knowledge_lexemes', { owner_id, lexeme, chunks: 1, positions: Buffer.alloc(4) });
  const wordsOf = (owner: string): Promise<unknown[]> =>
    first('select lexeme from knowledge_postings where owner_id = $1 order by 1', owner);

  test('become what this release reads, for that owner alone', async () => {
    const [own, other] = [await addSource('red', 'blue'), await addSource('red', 'green')];
    await writeLexeme(own, 'red');
    expect(await wordsOf(own)).toEqual(['', 'blue', 'red']);
    expect(await wordsOf(other)).toEqual([]);
    await writeLexeme(other, 'red');
    expect(await wordsOf(other)).toEqual(['', 'green', 'red']);
    await writeLexeme(other, 'green');
    await stored.pool.query(
      `delete from knowledge_lexemes where owner_id = $1 and lexeme = 'red'`,
      [other],
    );
    expect(await wordsOf(other)).toEqual(['', 'green']);
    expect(await wordsOf(own)).toEqual(['', 'blue', 'red']);
  });
});
