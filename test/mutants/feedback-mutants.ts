import type { Mutant } from './mutant.ts';

const FEEDBACK = 'test/conversations/feedback/feedback-link.pg.test.ts';

/** Bugs of links by which users rate. */
export const FEEDBACK_MUTANTS: readonly Mutant[] = [
  {
    name: 'feedback-link-unsigned',
    why: 'anybody rates any conversation whose id they know',
    file: 'src/conversations/feedback/feedback-token.ts',
    find: 'if (!sealer.isSigned(data, bytes.subarray(-SIGNATURE_BYTES), PURPOSE)) return undefined;',
    replace: '',
    suite: FEEDBACK,
    test: 'is told of in words, whatever was done to it',
  },
  {
    name: 'feedback-link-for-ever',
    why: 'a link from an old mailbox still rates',
    file: 'src/conversations/feedback/feedback-page.ts',
    find: 'if (expiresAt * 1_000 <= nowMs())',
    replace: 'if (expiresAt * 1_000 <= 0)',
    suite: FEEDBACK,
    test: 'is over at its time, to the second',
  },
  {
    name: 'agent-name-as-markup',
    why: 'the name of an agent is markup on a page of users',
    file: 'src/conversations/feedback/feedback-page.ts',
    find: '<legend>${escape(question)}</legend>',
    replace: '<legend>${question}</legend>',
    suite: FEEDBACK,
    test: 'a link opens a page that records nothing',
  },
  {
    name: 'one-key-for-all-purposes',
    why: 'what is signed for one purpose is good for another',
    file: 'src/platform/postgres/sealing.ts',
    find: '`parley sign ${purpose}`',
    replace: "'parley sign'",
    suite: FEEDBACK,
    test: 'while the key is replaced, links of both keys are good',
  },
];
