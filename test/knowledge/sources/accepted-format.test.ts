import { expect, test } from '@jest/globals';
import { ApiError } from '../../../src/errors.ts';
import { requireText } from '../../../src/knowledge/sources/accepted-format.ts';

const refusalOf = (
  content: string | Buffer,
  fileName: string | null = null,
): string | undefined => {
  try {
    requireText({ fileName, content: Buffer.from(content) });
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).code).toBe('unsupported_media_type');
    expect((error as ApiError).message).toMatch(/plain text or Markdown in UTF-8/);
    return (error as ApiError).message;
  }
};

test.each([
  ['a PDF', '%PDF-1.7\n1 0 obj'],
  ['a ZIP archive', 'PK\u0003\u0004We open at nine.'],
  ['an old office file', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1])],
  ['an RTF file', String.raw`{\rtf1 We open at nine.}`],
  ['HTML', '<!DOCTYPE html><p>We open at nine.</p>'],
  ['HTML', '\ufeff\n<html lang="en">'],
  ['HTML', '<?xml version="1.0"?>\n<!-- made by hand -->\n<HTML>'],
  ['bytes of 0', Buffer.from('We open at nine.', 'utf16le')],
  ['bytes of 0', `${'We open at nine. '.repeat(10_000)}\u0000`],
])('%s is refused by its content', (what, content) => {
  expect(refusalOf(content, 'notes.txt')).toContain(what);
});

test.each(['prices.pdf', 'prices.DOCX', 'prices.html', 'photo.jpeg', 'all.tar.gz'])(
  '%s is refused by its name',
  (name) => {
    expect(refusalOf('We open at nine.', name)).toContain(`${name} is no text`);
  },
);

test.each([
  [null, 'We open at nine.'],
  ['notes', 'Write <html> first, says the PDF.'],
  ['list.csv', 'PK;PDF\n1;2'],
  ['faq.md', '<details>\n<summary>Prices</summary>\n'],
  ['page.html.md', '# Prices'],
])('%s is text', (name, content) => {
  expect(refusalOf(content, name)).toBeUndefined();
});
