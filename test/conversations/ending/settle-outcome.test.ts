import { describe, expect, test } from 'vitest';
import { countReply, countUser } from '../../../src/conversations/turns/tally-turn.ts';
import { readUserTurn } from '../../../src/conversations/turns/read-user-turn.ts';
import type { Reply } from '../../../src/conversations/turns/responder.ts';
import { predictCsat } from '../../../src/conversations/ending/predict-csat.ts';
import { settleOutcome } from '../../../src/conversations/ending/settle-end.ts';
import { summarize } from '../../../src/conversations/record/summarize.ts';
import { EMPTY_TALLY, withoutWords, type Tally } from '../../../src/conversations/record/tally.ts';

type Kind = 'answer' | 'none' | 'talk' | 'human';

/** What the user says, and what came back. */
function tallyOf(...turns: [text: string, reply: Kind][]): Tally {
  return turns.reduce((tally, [text, kind]) => {
    const user = readUserTurn(text);
    const replies: Record<Kind, Reply> = {
      answer: { text: 'x', answeredFrom: 'Source' },
      none: { text: 'x', unanswered: { question: text, topScore: 0, closest: [] } },
      talk: { text: 'x' },
      human: { text: 'x', handover: { reason: 'user_request' } },
    };
    const counted = countReply(countUser(tally, user), user, replies[kind]);
    return kind === 'human' ? { ...counted, lacksHuman: true } : counted;
  }, EMPTY_TALLY);
}

const DELIVERY = ['How long does delivery take?', 'answer'] as const;
const accepted = (tally: Tally): Tally => ({
  ...tally,
  lacksHuman: false,
  escalations: { ...tally.escalations, requested: 1, accepted: 1, acceptedBy: 'Kim', waitSec: 30 },
});

describe('the outcome', () => {
  test.each<[string, Tally, string]>([
    ['nobody spoke', EMPTY_TALLY, 'abandoned'],
    ['only small talk', tallyOf(['hi', 'talk'], ['bye', 'talk']), 'abandoned'],
    ['answered', tallyOf([...DELIVERY]), 'resolved'],
    ['one of two is open', tallyOf([...DELIVERY], ['Is it made of velvet?', 'none']), 'unresolved'],
    [
      'thanks do not answer',
      tallyOf(['Is it made of velvet?', 'none'], ['ok thanks, bye', 'talk']),
      'unresolved',
    ],
    [
      'open, then answered in other words',
      tallyOf(['Do you deliver to Norway?', 'none'], ['delivery Norway', 'answer']),
      'resolved',
    ],
    [
      'open, then another is answered',
      tallyOf(['Is it made of velvet?', 'none'], [...DELIVERY]),
      'unresolved',
    ],
    [
      'they found it',
      tallyOf(['Is it made of velvet?', 'none'], ['I found it myself', 'talk']),
      'unknown',
    ],
    [
      'answered, with more open than the list holds',
      { ...tallyOf([...DELIVERY]), openBeyond: 1 },
      'unresolved',
    ],
    ['turned down', tallyOf([...DELIVERY], ['That did not help', 'talk']), 'unresolved'],
    [
      'turned down, then polite',
      tallyOf([...DELIVERY], ['That did not help', 'talk'], ['ok thanks', 'talk']),
      'unresolved',
    ],
    [
      'turned down, then answered',
      tallyOf([...DELIVERY], ['That did not help', 'talk'], ['When are you open?', 'answer']),
      'resolved',
    ],
    ['the same again', tallyOf([...DELIVERY], [...DELIVERY]), 'unresolved'],
    [
      'the same again, with thanks',
      tallyOf([...DELIVERY], [...DELIVERY], ['Great, thanks', 'talk']),
      'resolved',
    ],
    ['no human came', tallyOf([...DELIVERY], ['I want a human', 'human']), 'unresolved'],
    ['a human came', accepted(tallyOf(['I want a human', 'human'])), 'escalated'],
  ])('%s', (_, tally, outcome) => {
    expect(settleOutcome(tally)).toBe(outcome);
  });

  test('what whoever ended it says goes before all', () => {
    expect(settleOutcome(EMPTY_TALLY, 'voicemail')).toBe('voicemail');
  });
});

describe('predicted satisfaction', () => {
  const csat = (tally: Tally): number => predictCsat(tally, settleOutcome(tally));

  test('each thing that goes wrong lowers it', () => {
    const good = csat(tallyOf([...DELIVERY], ['Thanks, great!', 'talk']));
    const plain = csat(tallyOf([...DELIVERY]));
    const open = csat(tallyOf([...DELIVERY], ['Is it made of velvet?', 'none']));
    const angry = csat(
      tallyOf(['Is it made of velvet?', 'none'], ['This is useless and terrible', 'talk']),
    );
    expect([good, plain, open, angry]).toEqual(
      [good, plain, open, angry].toSorted((a, b) => b - a),
    );
    expect(new Set([good, plain, open, angry]).size).toBe(4);
  });

  test('stays between 1.0 and 5.0 with one decimal, whatever happens', () => {
    const worst = tallyOf(
      ...Array.from({ length: 30 }, (): [string, Kind] => [
        'this is useless, terrible and stupid',
        'none',
      ]),
    );
    const best = { ...tallyOf([...DELIVERY]), moods: [5, 5, 5], thanks: 9 };
    expect(csat(worst)).toBe(1);
    expect(csat(best)).toBeLessThanOrEqual(5);
    for (const tally of [worst, best])
      expect(csat(tally)).toBeCloseTo(Math.round(csat(tally) * 10) / 10, 9);
  });

  test('a long wait for a human is felt', () => {
    const at = (waitSec: number): number => {
      const tally = accepted(EMPTY_TALLY);
      return csat({ ...tally, escalations: { ...tally.escalations, waitSec } });
    };
    expect(at(59)).toBe(at(0));
    expect(at(300)).toBeLessThan(at(60));
    expect(at(100_000)).toBe(at(7 * 60));
  });
});

describe('the tally', () => {
  test('does not grow with the conversation', () => {
    const turns = Array.from({ length: 30 }, (_, i): [string, Kind] => [
      `Is number ${i} of the ${'long '.repeat(100)} ${String.fromCharCode(97 + (i % 26)).repeat(9)} ok?`,
      i % 2 === 0 ? 'none' : 'answer',
    ]);
    expect(JSON.stringify(tallyOf(...turns)).length).toBeLessThan(12_000);
  });

  test('without words it holds none', () => {
    const tally = accepted(
      tallyOf(['What of the xylophone?', 'none'], ['xylophone price', 'answer']),
    );
    expect(JSON.stringify(withoutWords(tally))).not.toMatch(/xylo|Kim/);
  });
});

describe('the summary', () => {
  const of = (tally: Tally, endedReason = 'api'): string =>
    summarize({ tally, endedReason, outcome: 'resolved', channel: 'chat' });

  test('says what was asked, from where it was answered, what was not, and how it ended', () => {
    expect(of(tallyOf([...DELIVERY], ['Is it made of velvet?', 'none']))).toBe(
      'The user asked “How long does delivery take?” and was answered from “Source”. ' +
        'Not answered: “Is it made of velvet?”. It was ended through the API.',
    );
    expect(of(accepted(EMPTY_TALLY), 'silence_timeout')).toMatch(
      /nothing.*nobody said anything more/,
    );
  });

  test('has at most 1,000 characters, and no half of one', () => {
    const long = `${'Is it 👩‍👩‍👧‍👦 '.repeat(60)}?`;
    const text = of(
      tallyOf(...Array.from({ length: 9 }, (_, i): [string, Kind] => [`${i} ${long}`, 'none'])),
    );
    expect(text.length).toBeLessThanOrEqual(1_000);
    expect(text.isWellFormed()).toBe(true);
  });
});
