import { expect, test } from 'vitest';
import { ApiError } from '../../../src/errors.ts';
import { requireFormat } from '../../../src/knowledge/sources/accepted-format.ts';

const formatOf = (
  content: string | Buffer,
  fileName: string | null = null,
  mediaType = 'text/plain',
): string => requireFormat({ fileName, mediaType, content: Buffer.from(content) });

const refusalOf = (...upload: Parameters<typeof formatOf>): string => {
  try {
    return formatOf(...upload);
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).code).toBe('unsupported_media_type');
    expect((error as ApiError).message).toMatch(/Parley accepts text, Markdown/);
    return (error as ApiError).message;
  }
};

test.each([
  ['a legacy Office file', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1])],
  ['an RTF file', String.raw`{\rtf1 We open at nine.}`],
  ['an image', '\u0089PNG'],
  ['zero bytes', Buffer.from('We open at nine.', 'utf16le')],
  ['zero bytes', `${'We open at nine. '.repeat(10_000)}\u0000`],
])('%s is refused by its content', (what, content) => {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content;
  expect(refusalOf(bytes, 'notes.txt')).toContain(what);
});

test.each(['prices.xlsx', 'prices.ODT', 'slides.pptx', 'photo.jpeg', 'all.tar.gz'])(
  '%s is refused by its name',
  (name) => {
    expect(refusalOf('We open at nine.', name)).toContain(`the format of ${name} is not supported`);
  },
);

test.each([
  ['pdf', 'text/plain', 'guide.pdf'],
  ['docx', 'application/octet-stream', 'guide.docx'],
  ['application/pdf', 'application/pdf', null],
])('text is no %s, whatever it is called', (_, mediaType, name) => {
  expect(refusalOf('We open at nine.', name, mediaType)).toMatch(
    /its content is not|the content is not PDF/,
  );
});

test.each([
  ['text', null, 'We open at nine.'],
  ['text', 'notes', 'Write <html> first, says the PDF.'],
  ['text', 'faq.md', '<details>\n<summary>Prices</summary>\n'],
  ['text', 'page.html.md', '# Prices'],
  ['text', 'notes.txt', Buffer.from('\ufeffWe open at nine.', 'utf16le')],
  ['csv', 'list.csv', 'PK;PDF\n1;2'],
  ['pdf', 'notes.txt', '%PDF-1.7\n1 0 obj'],
  ['zip', null, 'PK\u0003\u0004We open at nine.'],
  ['docx', 'guide.docx', 'PK\u0003\u0004We open at nine.'],
  ['pdf', 'guide.docx', '%PDF-1.7\n1 0 obj'],
  ['zip', null, `PK\u0003\u0004${Buffer.from('EncryptedPackage', 'utf16le').toString()}`],
  ['html', null, '<!DOCTYPE html><p>We open at nine.</p>'],
  ['html', 'notes.txt', '\ufeff\n<html lang="en">'],
  ['html', null, '<?xml version="1.0"?>\n<!-- made by hand -->\n<HTML>'],
  ['html', 'prices.htm', '<p>We open at nine.'],
])('is %s: %s', (format, name, content) => {
  expect(formatOf(content, name)).toBe(format);
});

test('the media type counts where neither name nor content tells', () => {
  expect(formatOf('a;b\n1;2', 'export', 'text/csv')).toBe('csv');
  expect(formatOf('<p>We open at nine.', 'export', 'text/html')).toBe('html');
  expect(formatOf('We open at nine.', 'export', 'application/octet-stream')).toBe('text');
  expect(formatOf('We open at nine.', 'notes.txt', 'application/pdf')).toBe('text');
});
