import { expect, test } from 'vitest';
import { createGroupCommit } from '../../../src/platform/postgres/group-commit.ts';

/** Returns the outcomes of two items whose shared transaction fails, and the number of transactions. */
async function commitBoth(reason: Error) {
  let runs = 0;
  const commit = createGroupCommit((): Promise<undefined[]> => {
    runs += 1;
    return Promise.reject(reason);
  });
  const committing = ['a', 'b'].map((item) => commit(item));
  const outcomes = await Promise.allSettled(committing);
  return { outcomes, runs };
}

const both = (outcome: object): object[] => [outcome, outcome];

test('if PostgreSQL refuses a shared transaction, each caller has to commit alone', async () => {
  const refused = Object.assign(new Error('refused'), { code: '23514' });
  expect(await commitBoth(refused)).toEqual({
    outcomes: both({ status: 'fulfilled', value: undefined }),
    runs: 1,
  });
});

test.each([{ code: 'ECONNRESET' }, { message: 'Connection terminated unexpectedly' }])(
  'if PostgreSQL may have committed (%j), nobody commits again',
  async (fields) => {
    const lost = Object.assign(new Error('lost'), fields);
    expect(await commitBoth(lost)).toEqual({
      outcomes: both({ status: 'rejected', reason: lost }),
      runs: 1,
    });
  },
);
