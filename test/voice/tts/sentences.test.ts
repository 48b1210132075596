import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import {
  createSentences,
  cutSentences,
  PIECE_CHARS_MAX,
} from '../../../src/voice/tts/sentences.ts';
import { IS_NIGHTLY } from '../../nightly.ts';

/** As a model writes it: a token for each few characters. */
function cut(text: string, tokenChars = 3): string[] {
  const sentences = createSentences();
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += tokenChars) {
    pieces.push(...sentences.push(text.slice(at, at + tokenChars)));
  }
  return [...pieces, ...sentences.end()];
}

const without = (text: string): string => text.replaceAll(/\s/gu, '');

describe('sentences', () => {
  test.each<[string, string[]]>([
    ['We open at nine. We close at five!', ['We open at nine.', 'We close at five!']],
    ['Are you there? I am here now.', ['Are you there?', 'I am here now.']],
    ['That costs 3.50 euros. Is it fine?', ['That costs 3.50 euros.', 'Is it fine?']],
    ['Version 2.1.4 is out. Update now please.', ['Version 2.1.4 is out.', 'Update now please.']],
    [
      'Ask Dr. Smith or Mrs. Jones. They know it.',
      ['Ask Dr. Smith or Mrs. Jones.', 'They know it.'],
    ],
    [
      'Bring a document, e.g. a passport. Thank you.',
      ['Bring a document, e.g. a passport.', 'Thank you.'],
    ],
    ['Das kostet z. B. 5 Euro. Passt das so?', ['Das kostet z. B. 5 Euro.', 'Passt das so?']],
    ['Das gilt z.B. am Montag. Passt das so?', ['Das gilt z.B. am Montag.', 'Passt das so?']],
    [
      'Wir öffnen am 3. Mai wieder. Bis dann also!',
      ['Wir öffnen am 3. Mai wieder.', 'Bis dann also!'],
    ],
    ['It was founded in 1998. It grew quickly.', ['It was founded in 1998.', 'It grew quickly.']],
    [
      'See www.example.com/a.b?c=1. Then call us.',
      ['See www.example.com/a.b?c=1.', 'Then call us.'],
    ],
    [
      'Write to info@shop.example.com. We answer.',
      ['Write to info@shop.example.com.', 'We answer.'],
    ],
    ['J. R. Tolkien wrote it. Nobody else did.', ['J. R. Tolkien wrote it.', 'Nobody else did.']],
    [
      'In the U.S. that is so. Elsewhere it is not.',
      ['In the U.S. that is so.', 'Elsewhere it is not.'],
    ],
    ['Wait... what is that? I do not know.', ['Wait... what is that?', 'I do not know.']],
    ['Well, let me see… There it is again.', ['Well, let me see…', 'There it is again.']],
    ['He said "We are closed." Then he left.', ['He said "We are closed."', 'Then he left.']],
    [
      '(We are closed today.) Come tomorrow then.',
      ['(We are closed today.)', 'Come tomorrow then.'],
    ],
    ['Really?! That is good news.', ['Really?! That is good news.']],
    ['No. It is closed today.', ['No. It is closed today.']],
    ['Your order is No. 5 of ten. Keep it.', ['Your order is No. 5 of ten.', 'Keep it.']],
    ['I have to say no. It is not mine.', ['I have to say no.', 'It is not mine.']],
    ['So am I. That is settled now.', ['So am I. That is settled now.']],
    ['First line of it\nsecond line of it', ['First line of it', 'second line of it']],
    [
      'You need:\n1. A passport or so\n2. A photo of you\n- and a pen for it',
      ['You need:\n1. A passport or so', '2. A photo of you', '- and a pen for it'],
    ],
    [
      '我们九点开门，每天都是这样的。请问还有别的问题吗？',
      ['我们九点开门，每天都是这样的。', '请问还有别的问题吗？'],
    ],
    [
      '営業時間は午前九時からです。ご質問はありますか？はい',
      ['営業時間は午前九時からです。', 'ご質問はありますか？はい'],
    ],
    ['', []],
    [' \n ', []],
    ['...', ['...']],
  ])('%j', (text, pieces) => {
    for (const size of [1, 3, 1_000]) expect(cut(text, size)).toEqual(pieces);
  });

  test('come as soon as it is known that they end', () => {
    const { push, end } = createSentences();
    expect(push('We open at nine')).toEqual([]);
    expect(push('.')).toEqual([]);
    expect(push(' We')).toEqual(['We open at nine.']);
    expect(push(' do.')).toEqual([]);
    expect(end()).toEqual(['We do.']);
    expect(end()).toEqual([]);
  });

  test('of a stream of tokens', async () => {
    async function* tokens() {
      yield* ['We open ', 'at nine. ', 'We close', ' at five.'];
    }
    const pieces: string[] = [];
    for await (const piece of cutSentences(tokens())) pieces.push(piece);
    expect(pieces).toEqual(['We open at nine.', 'We close at five.']);
  });
});

describe('what goes on for long', () => {
  test('begins with a clause, so that something is heard early', () => {
    const { push } = createSentences();
    expect(push('As far as I can see it here, your order was sent')).toEqual([
      'As far as I can see it here,',
    ]);
    // Later ones are whole again: a voice sounds better when it knows the end.
    expect(push(' on Monday, the 3rd of May, and it will come. Then')).toEqual([
      'your order was sent on Monday, the 3rd of May, and it will come.',
    ]);
  });

  test('is no clause within a number or a time', () => {
    const text = 'That would be about 12,500 euros at 10:30 in the morning';
    expect(cut(text)).toEqual([text]);
  });

  test('is cut at the last clause or space before the bound', () => {
    const words = `${'word '.repeat(40)}here, ${'more '.repeat(40)}`.trim();
    const pieces = cut(words);
    expect(pieces[0]).toMatch(/here,$/);
    const spaces = cut('a'.repeat(200) + ' ' + 'b'.repeat(200));
    expect(spaces).toEqual(['a'.repeat(200), 'b'.repeat(200)]);
  });

  test('without spaces is cut between characters that are whole', () => {
    const family = '👨‍👩‍👧‍👦';
    const pieces = cut(family.repeat(60), 1_000);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.every((piece) => piece.length % family.length === 0)).toBe(true);
  });
});

test('joined again the pieces are the text, but for white space, and none is longer than the bound', () => {
  const part = fc.oneof(
    fc.constantFrom(
      '. ',
      '... ',
      '! ',
      '?',
      '。',
      '\n',
      ', ',
      ': ',
      ' – ',
      'e.g. ',
      '3.5 ',
      '" ',
      ') ',
      '1. ',
    ),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom('word ', 'Wort', 'ünder', '好的', 'x'.repeat(90), 'https://a.example/b.c?d '),
  );
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 60 }),
      fc.integer({ min: 1, max: 50 }),
      (parts, size) => {
        const text = parts.join('');
        const pieces = cut(text, size);
        expect(without(pieces.join(''))).toBe(without(text));
        expect(pieces.filter((piece) => piece.length > PIECE_CHARS_MAX)).toEqual([]);
        expect(pieces.filter((piece) => piece !== piece.trim() || piece === '')).toEqual([]);
        // What a piece is does not depend on how the text came.
        expect(cut(text, 1)).toEqual(pieces);
      },
    ),
    { numRuns: 300 },
  );
});

test('a long text is cut whole before the test times out, whatever it is made of', () => {
  const chars = IS_NIGHTLY ? 100_000 : 20_000;
  for (const unit of ['a', 'a ', 'a.', '. ', ', ', '"', '\n', '1.', 'e.g. ']) {
    const text = unit.repeat(chars / unit.length);
    expect(without(cut(text, 50).join(''))).toBe(without(text));
  }
});
