import type { Mutant } from './mutant.ts';

/** Bugs of how a message is understood. */
export const LANGUAGE_MUTANTS: readonly Mutant[] = [
  {
    name: 'refusal-taken-for-a-wish',
    why: 'who says that they need no agent is handed over to one',
    file: 'src/conversations/turns/languages/languages.ts',
    find: 'return findAsked(without(said, findNotAsked)) !== undefined;',
    replace: 'return findAsked(said) !== undefined;',
    suite: 'test/conversations/turns/languages/wants-human.test.ts',
    test: 'of sentences that were held out',
  },
  {
    name: 'misspelled-wish-not-heard',
    why: 'who types in a hurry is not handed over',
    file: 'src/conversations/turns/languages/misspelled.ts',
    find: 'return like.find((one) => isMisspelling(word, one)) ?? word;',
    replace: 'return like.length > 99 ? word.slice(1) : word;',
    suite: 'test/conversations/turns/languages/wants-human.test.ts',
    test: 'with a wrong letter',
  },
  {
    name: 'wish-heard-in-english-alone',
    why: 'who asks a German agent for a human in German is not heard',
    file: 'src/conversations/turns/take-turn.ts',
    find: 'readUserTurn(input.text, content.language)',
    replace: 'readUserTurn(input.text)',
    suite: 'test/conversations/conversations.pg.test.ts',
    test: 'asks for a human in the language of its agent',
  },
  {
    name: 'model-overrules-the-wish',
    why: 'a model talks on to somebody who asked for a human in plain words',
    file: 'src/conversations/turns/model-responder.ts',
    find: "if (called && 'handover' in called) return",
    replace: "if (called && 'handover' in called && signal.aborted) return",
    suite: 'test/conversations/turns/model-responder.test.ts',
    test: 'by the rules: whatever the model would say, it is not asked',
  },
  {
    name: 'wish-heard-by-the-model-lost',
    why: 'the model says that a colleague comes, and nobody is asked to',
    file: 'src/conversations/turns/model-responder.ts',
    find: 'if (transfer) return { handover: transfer };',
    replace: 'if (transfer && ends) return { handover: transfer };',
    suite: 'test/conversations/turns/model-responder.test.ts',
    test: 'in words that no rule knows: by what the model makes of them',
  },
  {
    name: 'can-you-check-is-the-question',
    why: 'whatever passage has the word "check" answers, with a score as good as any',
    file: 'src/knowledge/passages/question-words.ts',
    find: 'const asking = [questions, story].find(saysWhat) ?? text;',
    replace: 'const asking = questions || text;',
    suite: 'test/knowledge/passages/question-words.test.ts',
    test: 'a question that only points at the story leaves it to the story',
  },
];
