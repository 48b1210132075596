import { expect, test } from 'vitest';
import {
  askedWords,
  endsAsQuestion,
  isNoise,
  searchableText,
} from '../../../src/knowledge/passages/question-words.ts';
import { partsOf } from '../../../src/knowledge/passages/split-words.ts';

const asks = (text: string): string => askedWords(text).question;

test.each([
  ['the width of letters and digits', 'Ｗｉ－Ｆｉ ３０ ｶｰﾄﾞ', 'wifi 30 カード'],
  ['the digits of the script', '٣٠ ۳۰ ३० ๓๐ ៣០', '30 30 30 30 30'],
  ['accents of Latin and Greek letters', 'Café zwrócić αποστολή', 'cafe zwrocic αποστολη'],
  ['letters that keyboards lack', 'łatwy đổi kapı', 'latwy doi kapi'],
  ['marks of Arabic and Hebrew', 'مُدَرِّس שָׁלִיחַ', 'مدرس ליח'],
  ['signs that are not seen', 'Rück\u00adgabe نمی\u200cشود', 'ruckgabe نميشود'],
])('words are the same whatever %s', (_, text, words) => {
  expect(searchableText(text).split(' ')).toEqual(expect.arrayContaining(words.split(' ')));
});

test.each(['वापसी', 'สินค้า', 'ガ', 'й', 'ທີ່'])('marks that are part of %s stay', (word) => {
  expect(searchableText(`${word}${word}`)).toContain(word.normalize('NFC'));
});

test.each([
  ['返品できますか？', '返品'],
  ['払い戻しはいつ届きますか', '払 戻 届'],
  ['可以退货吗？', '退货'],
  ['能用信用卡吗', '信用 用卡'],
  ['คืนสินค้าได้ไหม', 'คืน สินค้า'],
  ['배송비는 얼마인가요?', '배송비'],
  ['האם אפשר להחזיר את המוצר?', 'חזיר וצר'],
  ['هل يمكنني إرجاع المنتجات؟', 'ارجاع منتج'],
  ['Czy mogę zwrócić towar?', 'zwrocic towar'],
  ['Comment retourner un article ?', 'retourner article'],
])('%s asks for %s', (question, words) => {
  expect(asks(question)).toBe(words);
});

test('words of other languages are asked for in an English question', () => {
  expect(asks('What hat sizes do you have?')).toBe('hat sizes');
  expect(asks('die cast models on sale')).toBe('die cast models sale');
});

test.each([
  ['返品したいです。送料はいくらですか？', '送料'],
  ['我买了一辆自行车。保修多久？', '保修'],
  ['اشتريت دراجة. هل الدفع ممكن بالبطاقة؟', 'دفع بطاق'],
])('of a story in any script only the question is asked: %s', (message, words) => {
  expect(asks(message)).toBe(words);
});

test('marks at the end of a sentence are no words', () => {
  expect(searchableText('ទំនិញ។ ပစ္စည်း။ สินค้า๛')).not.toMatch(/[។။๛]/u);
});

test('the index has a Chinese word wherever a dictionary would cut the text', () => {
  expect(searchableText('退货政策').split(' ')).toEqual(
    expect.arrayContaining(['退', '货', '退货', '货政', '政策']),
  );
});

test('the index has the parts of a compound in katakana and in Hangul', () => {
  expect(searchableText('クレジットカード').split(' ')).toEqual(
    expect.arrayContaining(['クレジットカード', 'クレジット', 'カード']),
  );
  expect(searchableText('무료배송입니다').split(' ')).toEqual(
    expect.arrayContaining(['무료배송', '무료', '배송']),
  );
});

test('a part may stand for a word that no passage has, for less', () => {
  expect(partsOf('退款').map(({ word }) => word)).toEqual(['退', '款']);
  expect(partsOf('배송비').map(({ word }) => word)).toEqual(['배송', '송비']);
  expect(partsOf('배송')).toEqual([]);
  expect(partsOf('delivery')).toEqual([]);
  expect(partsOf('退款').every(({ closeness }) => closeness < 0.5)).toBe(true);
});

test('a word of two syllables or characters is no noise, and a single one is', () => {
  expect(['退款', '반품', 'ペン', 'वापस'].filter(isNoise)).toEqual([]);
  expect(['款', '반', 'き', 'れる', 'から', 'कर'].filter((word) => !isNoise(word))).toEqual([]);
});

test.each(['Why?', '返品できますか？ ', 'هل هذا ممكن؟', 'Πόσο κοστίζει;', 'Πόσο;'])(
  '%s ends as a question',
  (text) => {
    expect(endsAsQuestion(text)).toBe(true);
  },
);

test.each(['Why? Because.', 'Hello there;', ''])('%j does not end as a question', (text) => {
  expect(endsAsQuestion(text)).toBe(false);
});
