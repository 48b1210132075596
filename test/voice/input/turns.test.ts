import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { endOfTurn } from '../../../src/voice/input/end-of-turn.ts';
import { isBackchannel } from '../../../src/voice/input/is-backchannel.ts';
import {
  PHRASE_WORDS_MAX,
  spokenWords,
  TURN_LANGUAGE_FILES,
} from '../../../src/voice/input/languages/languages.ts';

describe('who only listens does not interrupt', () => {
  test.each<[string, string[]]>([
    [
      'en',
      [
        'Mhm.',
        'mm-hmm',
        'Uh-huh',
        'uh huh, yeah',
        'OK',
        'Okay.',
        'okaaay',
        'Hmmmm',
        'Yeah, yeah.',
        'Yes. Right.',
        'I see.',
        'Got it, okay.',
        'All right!',
        'Oh, okay. Sure.',
        '[cough]',
        '(background noise)',
        '*sighs*',
        '...',
        '',
        ' ',
      ],
    ],
    [
      'de',
      [
        'Mhm.',
        'Ja, ja.',
        'Genau.',
        'Ach so, okay.',
        'Alles klar!',
        'Jaaa',
        'Ich verstehe.',
        '(Husten)',
      ],
    ],
    ['de-AT', ['Eh klar.', 'Passt.']],
    ['fr', ['', '[bruit]', '…']],
  ])('%s', (language, said) => {
    expect(said.filter((text) => !isBackchannel(text, language))).toEqual([]);
  });

  test.each<[string, string[]]>([
    [
      'en',
      [
        'No.',
        'Stop.',
        'Wait!',
        'Hold on',
        'Yes, but I moved.',
        'Okay, and what about Monday?',
        'What?',
        'Sorry?',
        'Really, why?',
        'ok ok ok ok ok ok ok',
        'seven',
        '7',
        'Right now!',
        'A human please.',
      ],
    ],
    [
      'de',
      [
        'Nein.',
        'Stopp!',
        'Moment.',
        'Ja, aber nicht heute.',
        'Wie bitte?',
        'Okay, und am Montag?',
        'sieben',
      ],
    ],
    ['fr', ['Oui.', 'Non.']],
  ])('who wants to say something in %s does', (language, said) => {
    expect(said.filter((text) => isBackchannel(text, language))).toEqual([]);
  });

  test('more than 200 characters are no backchannel, whatever they are', () => {
    const noise = (chars: number): string => `[${'x'.repeat(chars - 2)}]`;
    expect([isBackchannel(noise(200)), isBackchannel(noise(201))]).toEqual([true, false]);
  });

  test('a bracket that nobody closes hides no word', () => {
    expect(isBackchannel('[mhm (ok')).toBe(true);
    expect(isBackchannel('[wait [cough]')).toBe(false);
    expect(isBackchannel('<wait <cough>')).toBe(false);
    expect(isBackchannel('(wait (cough)')).toBe(false);
  });

  test('without a language it is English', () => {
    expect([isBackchannel('uh-huh'), isBackchannel('genau')]).toEqual([true, false]);
  });
});

/** Of the default bounds. */
const delayOf = (text: string, language?: string): number =>
  endOfTurn({ text, silenceMs: 0, language }).waitMs;

test('the end of a long turn decides, not what was said before', () => {
  const before = 'I want to know one thing. '.repeat(100);
  for (const end of ['When do you open?', 'I would like to and', 'five five', 'so,', 'um']) {
    expect(delayOf(`${before}${end}  `)).toBe(delayOf(`Hello. ${end}`));
  }
});

describe('a turn is over', () => {
  test.each<[string, string[]]>([
    [
      'en',
      [
        'When do you open?',
        'Yes.',
        'No thanks',
        "That's all.",
        'I would like to book a table.',
        'We come at nine.',
        'For two.',
        'It was in 2024.',
        'Thank you!',
        "I don't know",
      ],
    ],
    [
      'de',
      [
        'Wann haben Sie offen?',
        'Ja.',
        'Nein danke',
        'Das wars.',
        'Ich möchte einen Tisch bestellen.',
        'Für zwei.',
      ],
    ],
    ['fr', ['Vous ouvrez quand ?', 'Je voudrais une table.']],
    ['zh', ['你们几点开门？', '我想订一张桌子。']],
  ])('soon after what is finished in %s', (language, said) => {
    expect(said.filter((text) => delayOf(text, language) > 650)).toEqual([]);
  });

  test.each<[string, string[]]>([
    [
      'en',
      [
        'I would like to book a table and',
        'I want to.',
        'Because',
        'My name is',
        'Um',
        'It is, uh...',
        'My number is 5 5 5',
        'four three seven',
        'double seven nine.',
        'It is 0664 123',
        'My number is 06641234.',
        'S M I',
        'First,',
        'Let me think.',
        'I was at the',
        '',
        '[noise]',
      ],
    ],
    [
      'de',
      [
        'Ich möchte einen Tisch und',
        'Mein Name ist',
        'Ähm',
        'null sechs sechs vier',
        'Also',
        'Weil ich',
        'Moment.',
      ],
    ],
    ['fr', ['Je voudrais,', 'Alors...', '06 12 34']],
  ])('late after what is not in %s', (language, said) => {
    expect(said.filter((text) => delayOf(text, language) < 1_900)).toEqual([]);
  });

  test('neither soon nor late after words alone', () => {
    expect(delayOf('I would like a table')).toBe(400 + 0.4 * 2_100);
  });

  test('when it was silent for so long', () => {
    const turn = { text: 'When do you open?', minDelayMs: 300 };
    expect(endOfTurn({ ...turn, silenceMs: 299 })).toEqual({ isOver: false, waitMs: 1 });
    expect(endOfTurn({ ...turn, silenceMs: 300 })).toEqual({ isOver: true, waitMs: 0 });
  });

  test('never before the least delay, and always after the greatest', () => {
    const bounds = fc.tuple(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 0, max: 5_000 }));
    fc.assert(
      fc.property(fc.string(), bounds, (text, [minDelayMs, more]) => {
        const turn = { text, minDelayMs, maxDelayMs: minDelayMs + more };
        const { waitMs } = endOfTurn({ ...turn, silenceMs: 0 });
        expect(waitMs).toBeGreaterThanOrEqual(minDelayMs);
        expect(waitMs).toBeLessThanOrEqual(minDelayMs + more);
        expect(endOfTurn({ ...turn, silenceMs: minDelayMs + more }).isOver).toBe(true);
      }),
    );
  });
});

test.each(TURN_LANGUAGE_FILES)(
  'the file of $language has words as they are compared',
  ({ language, ...lists }) => {
    expect(language).toMatch(/^[a-z]{2}$/);
    for (const phrase of Object.values(lists)
      .flat()
      .flatMap((line) => line.split('|'))) {
      expect(spokenWords(phrase).join(' ')).toBe(phrase);
      expect(spokenWords(phrase).length).toBeLessThanOrEqual(PHRASE_WORDS_MAX);
    }
  },
);

test('letters that are spelled one by one go on, and a single number does not', () => {
  const waitMs = (text: string): number => endOfTurn({ text, silenceMs: 0 }).waitMs;
  expect([waitMs('It is spelled B C'), waitMs('12')]).toEqual([2_080, 1_240]);
});

test('more than 200 characters are no listening', () => {
  const of = (length: number): boolean => isBackchannel('mhm'.padEnd(length, '.'));
  expect([of(200), of(201)]).toEqual([true, false]);
});
