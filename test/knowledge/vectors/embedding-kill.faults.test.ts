import { afterEach, beforeEach, expect, test } from 'vitest';
import { newUuid } from '../../../src/ids.ts';
import { startRole, type Parley } from '../../roles/parley-process.ts';
import { until } from '../../until.ts';
import { startVectors, type Vectors } from './vectors-harness.ts';

/** A process of the operator role dies between the answer of a provider and what it would have stored. */

const PASSAGES = 150;
/** Of a batch of the default provider. */
const BATCH = 64;

let vectors: Vectors;
beforeEach(async () => {
  vectors = await startVectors();
});
afterEach(() => vectors?.stop());

function startOperator(failpoints: string): Promise<Parley> {
  const env = {
    PARLEY_MODEL_URL: vectors.stub.url,
    PARLEY_MODEL: 'm-1',
    PARLEY_EMBEDDING_MODEL: 'e-1',
    PARLEY_FAILPOINTS: failpoints,
  };
  return startRole('operator', { databaseUrl: vectors.databaseUrl, env });
}

/** So many answers to gaps of an agent, whose id is returned: no operator thinks them undeclared. */
async function answers(): Promise<string> {
  const agentId = newUuid();
  await vectors.pool.query(
    `insert into knowledge_chunks (id, namespace, agent_id, gap_id, position, heading, text, words)
     select gen_random_uuid(), 'default', $1, gen_random_uuid(), i, '', 'word' || i, ''
       from generate_series(1, $2::integer) i`,
    [agentId, PASSAGES],
  );
  return agentId;
}

test('what was stored stays, another process goes on, and one batch at most is sent again', async () => {
  const id = await answers();
  const dying = startOperator('embeddings.storing=kill@2').catch(() => undefined);
  await vectors.stub.came(2);
  await (
    await dying
  )?.exited;
  expect(await vectors.rows(id)).toMatchObject([
    { vectors: BATCH, embedded: BATCH, isComplete: false },
  ]);
  // The lease of a process that died runs out.
  await vectors.pool.query('update knowledge_embeddings set lease_until = now()');
  // In the nightly lane two share the rest.
  const count = process.env['PARLEY_NIGHTLY'] === undefined ? 1 : 2;
  const operators = await Promise.all(Array.from({ length: count }, () => startOperator('')));
  try {
    await until('all vectors', async () => (await vectors.rows(id))[0]?.isComplete === true);
    expect(await vectors.rows(id)).toMatchObject([
      { vectors: PASSAGES, embedded: PASSAGES, problem: null },
    ]);
    expect(vectors.sent()).toHaveLength(PASSAGES + BATCH);
  } finally {
    await Promise.all(operators.map((operator) => operator.kill()));
  }
});
