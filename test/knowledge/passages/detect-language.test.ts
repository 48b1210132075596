import { describe, expect, test } from 'vitest';
import { cutPassages } from '../../../src/knowledge/passages/cut-passages.ts';
import { detectLanguage } from '../../../src/knowledge/passages/detect-language.ts';

test.each([
  [
    'en',
    'You can return parcels to the shop within thirty days, and the money is paid to your card.',
  ],
  [
    'de',
    'Wir öffnen um neun Uhr und schließen um acht. Die Rückgabe ist mit dem Beleg auch nach einem Monat möglich, wie bei allen.',
  ],
  [
    'fr',
    'Les chiens sont admis dans les chalets pour une nuit, avec un supplément que vous payez sur place.',
  ],
  [
    'es',
    'Los perros se admiten en las cabañas con un suplemento, que se paga al llegar para una noche.',
  ],
  [
    'it',
    'I cani sono ammessi nel bungalow con un supplemento che si paga al momento del check-in, non prima.',
  ],
  [
    'nl',
    'De honden zijn niet toegestaan in het restaurant, maar wel op de camping met een riem aan.',
  ],
  [
    'sv',
    'Det är inte tillåtet att ta med hundar till restaurangen, och vi har en gräsmatta som de kan vara på.',
  ],
  [
    'ru',
    'Если вы не можете приехать, мы вернём деньги на карту, и это можно сделать за день или за два.',
  ],
  ['el', 'Δεχόμαστε κάρτες.'],
  ['ar', 'نقبل البطاقات.'],
  ['fa', 'چگونه پرداخت کنم'],
  ['he', 'אנו מקבלים כרטיסי אשראי'],
  ['hi', 'हम क्रेडिट कार्ड लेते हैं।'],
  ['ja', '銀行振込がご利用いただけます。'],
  ['zh', '我们接受信用卡和银行转账。'],
  ['ko', '신용카드를 이용하실 수 있습니다. Visa'],
  ['th', 'เรารับบัตรเครดิต'],
  ['uk', 'Ми приймаємо банківські картки'],
])('a text in %s is known as such', (language, text) => {
  expect(detectLanguage(text)).toBe(language);
});

test.each([
  '',
  'Skates',
  'Wir öffnen um neun.',
  'const x = await fetch(url);',
  'Model 2023: red, blue, green',
])('%j is too little to be sure', (text) => {
  expect(detectLanguage(text)).toBeNull();
});

test('what a document declares goes before what its text looks like', () => {
  const text =
    'You can return parcels to the shop within thirty days, and the money is paid to you.';
  const languageOf = (language?: string): string | null => {
    const cut = cutPassages({ path: 'a', title: '', text, ...(language && { language }) });
    return 'refused' in cut ? null : cut.language;
  };
  expect([languageOf(), languageOf('nl'), languageOf('de-CH')]).toEqual(['en', 'nl', 'de']);
});

describe('a language is sure', () => {
  const times = (count: number, word: string): string => Array(count).fill(word).join(' ');

  test.each([
    ['with six words of it', times(6, 'you'), times(5, 'you')],
    [
      'with twelve per cent of its words',
      `${times(6, 'you')} ${times(44, 'zz')}`,
      `${times(6, 'you')} ${times(45, 'zz')}`,
    ],
    [
      'with fifteen per cent more than of the next one',
      `${times(23, 'you')} ${times(20, 'wird')}`,
      `${times(22, 'you')} ${times(20, 'wird')}`,
    ],
  ])('%s, and not with less', (_, enough, tooFew) => {
    expect([detectLanguage(enough), detectLanguage(tooFew)]).toEqual(['en', null]);
  });

  test('by its script if more letters are of it than Latin ones', () => {
    expect([detectLanguage('жда zz'), detectLanguage('жд zz')]).toEqual(['ru', null]);
  });

  test('by the letter that only it has, in its own script alone', () => {
    expect(detectLanguage('我们接受信用卡 پ')).toBe('zh');
  });

  test('by the beginning of a long text', () => {
    const beginning = `${times(10, 'you')} `.padEnd(20_000, 'z');
    expect(detectLanguage(`${beginning.slice(0, 19_990)} ${times(3_000, 'wird')}`)).toBe('en');
  });
});
