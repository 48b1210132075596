import { expect, test } from 'vitest';
import { decodeText } from '../../../src/knowledge/formats/read-document.ts';

const UTF16 = Buffer.from('\ufeffWir öffnen um neun.', 'utf16le');

test.each([
  ['UTF-8', Buffer.from('Wir öffnen um neun.'), null],
  ['UTF-8 with a mark', Buffer.from('\ufeffWir öffnen um neun.'), null],
  ['UTF-16, little end first', UTF16, null],
  ['UTF-16, big end first', Buffer.from(UTF16).swap16(), null],
  [
    'windows-1252, as it was declared',
    Buffer.from('Wir öffnen um neun.', 'latin1'),
    'windows-1252',
  ],
])('%s', (_, bytes, charset) => {
  expect(decodeText(bytes, charset)).toBe('Wir öffnen um neun.');
});

test.each([
  ['not valid UTF-8', Buffer.from('Wir öffnen', 'latin1'), null],
  ['zero bytes', Buffer.from('We open', 'utf16le'), null],
  ['not valid NO-SUCH-THING', Buffer.from('We open'), 'no-such-thing'],
])('is refused: %s', (words, bytes, charset) => {
  expect(() => decodeText(bytes, charset)).toThrow(words);
});
