import { FormatRefused } from './refusal.ts';

const MARKS: readonly [mark: readonly number[], encoding: string][] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];

/**
 * Decodes a text by its byte order mark, by its declared charset, or as UTF-8. Refuses invalid bytes instead of
 * guessing the charset, because a wrong guess would index words that the text does not contain.
 * @throws FormatRefused
 */
export function decodeText(bytes: Uint8Array, charset: string | null = null): string {
  const marked = MARKS.find(([mark]) => mark.every((byte, at) => bytes[at] === byte))?.[1];
  const encoding = marked ?? charset ?? 'utf-8';
  const text = decodeAs(encoding, bytes);
  if (text.includes('\u0000')) {
    throw new FormatRefused('invalid_format', 'the content is no text: it has bytes of 0');
  }
  return text;
}

function decodeAs(encoding: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new FormatRefused(
      'invalid_format',
      `the content is not ${encoding.toUpperCase()}: save it as text in UTF-8, or in UTF-16 with a byte order mark`,
    );
  }
}
