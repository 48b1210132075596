import { newUuid } from '../../../src/ids.ts';
import { detectGap } from '../../../src/knowledge/gaps/detect-gap.ts';
import { inTransaction } from '../../../src/platform/postgres/transaction.ts';
import type { Api } from '../../roles/api/api-setup.ts';

/** A question without an answer, in a conversation of its own, in a transaction as a turn has it. */
export function detecting(
  { engine: { pool } }: Pick<Api, 'engine'>,
  { agentId, question }: { agentId: string; question: string },
): ReturnType<typeof detectGap> {
  return inTransaction(pool, (db) =>
    detectGap(db, {
      namespace: 'default',
      agentId,
      conversationId: newUuid(),
      question,
      topScore: 0,
      closest: [],
      scope: async () => ({ namespace: 'default', owners: [agentId], all: false }),
      emit: async () => undefined,
    }),
  );
}
