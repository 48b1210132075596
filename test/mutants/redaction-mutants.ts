import type { Mutant } from './mutant.ts';

const REDACTION = 'test/conversations/redaction/redaction.pg.test.ts';
const FINDERS = 'test/conversations/redaction/redact.test.ts';

/** Bugs of what is taken out of the words of users. */
export const REDACTION_MUTANTS: readonly Mutant[] = [
  {
    name: 'script-of-a-call-kept-as-it-is',
    why: 'what a user of a simulated call will say stands in the database until the call is over',
    file: 'src/calls/create-call.ts',
    find: '{ ...call, ...options, id:',
    replace: '{ ...options, ...call, id:',
    suite: REDACTION,
    test: 'its script, while it waits',
  },
  {
    name: 'hash-of-a-card',
    why: 'a talk is found again by a hash from which the card number is guessed in minutes',
    file: 'src/conversations/completions/open-talk.ts',
    find: 'await redactSaid(deps.pool, request)',
    replace: 'request.said',
    suite: REDACTION,
    test: 'a talk is found again by hashes that know nothing of it',
  },
  {
    name: 'claim-keeps-what-was-said',
    why: 'the words as they were stand in the database while the reply is made',
    file: 'src/conversations/turns/take-turn.ts',
    find: 'const input = { ...said, text, redacted:',
    replace: 'const input = { ...said, redacted:',
    suite: REDACTION,
    test: 'a turn under way, and one that its end breaks off',
  },
  {
    name: 'broken-off-turn-not-counted',
    why: 'what was taken out of a message whose reply was broken off is told nowhere',
    file: 'src/conversations/ending/break-off-turn.ts',
    find: 'countRedacted(row, said);',
    replace: '',
    suite: REDACTION,
    test: 'a turn under way, and one that its end breaks off',
  },
  {
    name: 'lost-turn-not-counted',
    why: 'the message of a killed process is stored redacted, and says nothing of it',
    file: 'src/conversations/turns/settle-lost-turn.ts',
    find: 'text: message,\n    redacted,',
    replace: 'text: message,\n    redacted: null,',
    suite: REDACTION,
    test: 'the turn of a killed process, as it is settled by whoever comes next',
  },
  {
    name: 'every-sixteen-digits-a-card',
    why: 'order numbers are taken for cards',
    file: 'src/conversations/redaction/find-cards.ts',
    find: 'if (isLong && hasCheckDigit(digits)) found = last;',
    replace: 'if (isLong) found = last;',
    suite: FINDERS,
    test: 'the last digit is wrong',
  },
  {
    name: 'bare-digits-a-phone',
    why: 'order numbers are taken for telephone numbers',
    file: 'src/conversations/redaction/find-phones.ts',
    find: 'return isMarked || CALLED',
    replace: 'return true || CALLED',
    suite: FINDERS,
    test: 'an order',
  },
  {
    name: 'zero-width-hides-a-card',
    why: 'a card number with a character that nobody sees in it is stored',
    file: 'src/conversations/redaction/fold-text.ts',
    find: "if (INVISIBLE.test(char)) return '';",
    replace: '',
    suite: FINDERS,
    test: 'a character that nobody sees hides nothing',
  },
];
