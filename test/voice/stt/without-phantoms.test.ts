import { describe, expect, test } from 'vitest';
import { phantomKindOf } from '../../../src/voice/stt/phantom-sentences.ts';
import {
  certaintyOf,
  isSilence,
  withoutPhantoms,
  type Certainty,
} from '../../../src/voice/stt/without-phantoms.ts';
import { joined, noiseOf, silenceOf, toneOf } from '../audio/tones.ts';

/** Sentences that transcribers write for noise make no turn. The same sentences from a caller do. */

const RATE = 8_000;
const pause = silenceOf({ rate: RATE, sec: 0.3 });
const noise = (level: number, sec = 1) => noiseOf({ rate: RATE, sec, level });
const voice = (sec: number) => toneOf({ hz: 200, rate: RATE, sec });

const SPOKEN = { audio: [joined(pause, voice(1.2), pause)], sampleRate: RATE };
const SHORT = { audio: [joined(pause, voice(0.1), pause)], sampleRate: RATE };
/** A steady noise, and one that is hardly louder. */
const NOISE = { audio: [noise(0.02), noise(0.05), noise(0.02)], sampleRate: RATE };

const heard = (text: string, certainty: Certainty, sound: typeof SPOKEN): string =>
  withoutPhantoms({ text, certainty }, sound);

describe('credits of films, which no caller says', () => {
  test.each([
    'Thank you for watching!',
    ' thanks for watching',
    'Thank you for watching! Please subscribe to my channel.',
    'Untertitel der Amara.org-Community',
    'Untertitelung des ZDF, 2020',
    'Vielen Dank fürs Zuschauen.',
    "Sous-titres réalisés par la communauté d'Amara.org",
    '¡Gracias por ver el video!',
    'Sottotitoli e revisione a cura di QTSS',
    'Legendas pela comunidade Amara.org',
    'Napisy stworzone przez społeczność Amara.org',
    'Altyazı M.K.',
    'ご視聴ありがとうございました',
    'ご視聴ありがとうございました。チャンネル登録お願いします。',
    '请不吝点赞 订阅 转发 打赏支持明镜与点点栏目',
    '시청해주셔서 감사합니다.',
    'Субтитры сделал DimaTorzok',
    'Продолжение следует...',
    'اشتركوا في القناة',
    'ขอบคุณที่รับชม',
    'Tack för att ni tittade!',
  ])('%j', (text) => {
    expect(phantomKindOf(text)).toBe('credit');
    expect(heard(text, 'unknown', SPOKEN)).toBe('');
    expect(heard(text, 'doubted', SPOKEN)).toBe('');
    expect(heard(text, 'vouched', NOISE)).toBe('');
    // The transcriber is sure, and it sounds like a voice.
    expect(heard(text, 'vouched', SPOKEN)).toBe(text);
  });
});

describe('remarks, which callers say, too', () => {
  test.each([
    'Thank you.',
    'Bye-bye!',
    'Danke',
    'Vielen Dank.',
    'Merci',
    'ありがとうございました',
    '谢谢。',
    'Спасибо',
  ])('%j', (text) => {
    expect(phantomKindOf(text)).toBe('remark');
    expect(heard(text, 'unknown', SPOKEN)).toBe(text);
    expect(heard(text, 'vouched', SPOKEN)).toBe(text);
    expect(heard(text, 'vouched', NOISE)).toBe(text);
    expect(heard(text, 'unknown', NOISE)).toBe('');
    expect(heard(text, 'doubted', SPOKEN)).toBe('');
  });

  test('a sound that is too short for the words', () => {
    expect(heard('Thank you very much.', 'unknown', SHORT)).toBe('');
    expect(heard('Bye', 'unknown', SHORT)).toBe('Bye');
  });

  test('a credit with a remark is a remark', () => {
    expect(phantomKindOf('Thank you for watching. Bye.')).toBe('remark');
  });
});

test.each([
  'Thank you for watching my order, it has arrived.',
  'I said: thank you for watching!',
  'Thank you for the help. Where is my order?',
  'Untertitel',
  'How do I subscribe?',
  '谢谢您的帮助',
  '',
])('other words are kept, whatever the sound: %j', (text) => {
  expect(phantomKindOf(text)).toBeUndefined();
  for (const certainty of ['unknown', 'doubted', 'vouched'] as const)
    expect(heard(text, certainty, NOISE)).toBe(text);
});

test.each(['[BLANK_AUDIO]', '(music)', '*coughs*', '♪♪', '...', '[Musik] (Applaus)', '<noise>'])(
  'what is written of sounds is no text: %j',
  (text) => expect(heard(text, 'vouched', SPOKEN)).toBe(''),
);

test('words beside a sound are kept as they are written', () => {
  for (const text of ['[coughs] Where is my order?', '42', 'あ'])
    expect(heard(text, 'unknown', SPOKEN)).toBe(text);
});

test.each([
  [{ no_speech_prob: 0.93, avg_logprob: -1.2 }, true],
  [{ no_speech_prob: 0.61, avg_logprob: -1.01 }, true],
  [{ no_speech_prob: 0.6, avg_logprob: -1.2 }, false],
  [{ no_speech_prob: 0.93, avg_logprob: -1 }, false],
  [{ no_speech_prob: 0.93 }, false],
  [{ avg_logprob: -3 }, false],
  [{ no_speech_prob: null, avg_logprob: null }, false],
  [{}, false],
])('Whisper takes %j for silence: %s', (segment, is) => {
  expect(isSilence(segment)).toBe(is);
});

test.each([
  [[], 'unknown'],
  [[{}], 'unknown'],
  [[{ no_speech_prob: 0.1, avg_logprob: -0.2 }], 'vouched'],
  [[{ no_speech_prob: 0.3, avg_logprob: -0.2 }], 'unknown'],
  [[{ no_speech_prob: 0.1, avg_logprob: -0.7 }], 'unknown'],
  [[{ no_speech_prob: 0.1 }], 'unknown'],
  [[{ avg_logprob: -0.2 }], 'unknown'],
  [[{ no_speech_prob: 0.61, avg_logprob: -0.2 }], 'doubted'],
  [[{ no_speech_prob: 0.1, avg_logprob: -1.1 }], 'doubted'],
  [[{ no_speech_prob: 0.1, avg_logprob: -0.2 }, {}], 'unknown'],
  [[{ no_speech_prob: 0.1, avg_logprob: -0.2 }, { no_speech_prob: 0.9 }], 'doubted'],
] as const)('of %j a transcriber is %s', (segments, certainty) => {
  expect(certaintyOf(segments)).toBe(certainty);
});

describe('a transcriber', () => {
  const segment = (no_speech_prob?: number, avg_logprob?: number) => ({
    ...(no_speech_prob !== undefined && { no_speech_prob }),
    ...(avg_logprob !== undefined && { avg_logprob }),
  });

  test.each<[ReturnType<typeof segment>[], string]>([
    [[], 'unknown'],
    [[segment()], 'unknown'],
    [[segment(0.6, -0.5)], 'unknown'],
    [[segment(0.61, -0.5)], 'doubted'],
    [[segment(0.1, -1)], 'unknown'],
    [[segment(0.1, -1.01)], 'doubted'],
    [[segment(0.29, -0.69)], 'vouched'],
    [[segment(0.3, -0.69)], 'unknown'],
    [[segment(0.29, -0.7)], 'unknown'],
    [[segment(0.29)], 'unknown'],
    [[segment(undefined, -0.5)], 'unknown'],
    [[segment(0.1, -0.5), segment(0.9, -0.5)], 'doubted'],
    [[segment(0.1, -0.5), segment(0.4, -0.5)], 'unknown'],
  ])('of %j is sure: %s', (segments, certainty) => {
    expect(certaintyOf(segments)).toBe(certainty);
  });

  test.each([
    [segment(0.61, -1.01), true],
    [segment(0.6, -1.01), false],
    [segment(0.61, -1), false],
    [segment(0.61), false],
    [segment(undefined, -2), false],
  ])('takes %j for silence: %s', (likelihood, isIt) => {
    expect(isSilence(likelihood)).toBe(isIt);
  });
});
