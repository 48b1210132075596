import type { Mutant } from './mutant.ts';

const JUDGEMENT = 'test/conversations/ending/judgement.pg.test.ts';

/** Bugs of conversations that a model judges. */
export const JUDGEMENT_MUTANTS: readonly Mutant[] = [
  {
    name: 'judge-overrules-facts',
    why: 'what whoever ended it stated, or a person who was there, is contradicted by a model',
    file: 'src/conversations/ending/complete-transcript.ts',
    find: 'outcome: isOpen ? verdict.outcome : outcome',
    replace: 'outcome: verdict.outcome',
    suite: JUDGEMENT,
    test: 'who ended it and said what became of it is not contradicted',
  },
  {
    name: 'reaper-does-not-wait-for-the-judge',
    why: 'every judgement comes too late: the reaper has told of the transcript a second after the end',
    file: 'src/conversations/record/conversations.sql.ts',
    find: 'and (judge_until is null or judge_until <= clock_timestamp())',
    replace: '',
    suite: JUDGEMENT,
    test: 'when a model takes for ever',
  },
  {
    name: 'judgement-survives-erasure',
    why: 'the topics and questions of an erased conversation stay in the database',
    file: 'src/conversations/record/conversations.sql.ts',
    find: 'summary = null, judgement = null,',
    replace: 'summary = null,',
    suite: JUDGEMENT,
    test: 'one that was judged and is erased keeps nothing of it',
  },
  {
    name: 'judgement-in-an-erased-event',
    why: 'a replayed event brings the words of an erased conversation',
    file: 'src/events/erase-events.sql.ts',
    find: "['user_id', 'metadata', 'judgement']",
    replace: "['user_id', 'metadata']",
    suite: JUDGEMENT,
    test: 'one that was judged and is erased keeps nothing of it',
  },
  {
    name: 'judges-without-end-at-once',
    why: 'a hundred ends at once take the provider from users who are talking',
    file: 'src/conversations/ending/judge.ts',
    find: 'const AT_ONCE = 4;',
    replace: 'const AT_ONCE = 400;',
    suite: JUDGEMENT,
    test: 'many ends at once',
  },
  {
    name: 'verdict-unchecked',
    why: 'a satisfaction of 9 breaks every reader of the scale',
    file: 'src/conversations/judging/verdict.ts',
    find: 'satisfaction: z.literal([1, 2, 3, 4, 5])',
    replace: 'satisfaction: z.number()',
    suite: JUDGEMENT,
    test: 'is beyond the scale',
  },
  {
    name: 'judge-within-the-bounds-of-a-reply',
    why: 'a reply of five tokens at most cuts every judgement off',
    file: 'src/conversations/judging/ask-judge.ts',
    find: 'return { provider, name, fallback };',
    replace: 'return { ...model, provider, name, fallback };',
    suite: JUDGEMENT,
    test: 'another model of another provider judges than replies',
  },
  {
    name: 'turns-forged-in-a-judgement',
    why: 'a user writes a line of somebody else into what is judged',
    file: 'src/conversations/judging/ask-judge.ts',
    find: 'const line = quoted(spoken(turn));',
    replace: 'const line = `${turn.role}: ${turn.text}`;',
    suite: JUDGEMENT,
    test: 'the request has the schema, and the conversation as data',
  },
];
