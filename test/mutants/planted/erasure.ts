import type { Mutant } from '../mutant.ts';

export const ERASURE: readonly Mutant[] = [
  {
    name: 'words-in-events',
    promise: "erasure removes a conversation's words everywhere",
    file: 'src/erasure/erase-conversation.ts',
    in: 'told',
    find: 'await deps.eraseEvents(db, { conversationId: row.id, events, erased: ERASED })',
    replace: '{ canceled: [], canceledCount: Number(events === ERASED) }',
    suite: 'test/erasure/erasure.pg.test.ts',
  },
  {
    name: 'words-in-the-tally',
    promise: "erasure removes a conversation's words everywhere",
    file: 'src/erasure/erase-conversation.ts',
    in: 'eraseLocked',
    find: 'withoutWords(last.tally)',
    replace: 'last.tally',
    suite: 'test/erasure/erasure.pg.test.ts',
  },
];
