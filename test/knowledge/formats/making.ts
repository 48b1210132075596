import { crc32, deflateRawSync, deflateSync } from 'node:zlib';

/** Files as programs make them, and as nobody should. */

export type ZipPart = {
  name: string;
  data: Buffer | string;
  /** Deflated already. */
  packed?: Buffer;
  /** What the archive says of it, where that is not the truth. */
  said?: { size?: number; offset?: number; flags?: number; packed?: number };
};

export function zipOf(parts: readonly ZipPart[]): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  for (const { name, data, packed: given, said = {} } of parts) {
    const bytes = Buffer.from(data);
    const packed = given ?? deflateRawSync(bytes, { level: 9 });
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE((said.flags ?? 0) | 0x800, 2);
    shared.writeUInt16LE(8, 4);
    shared.writeUInt32LE(crc32(bytes), 10);
    shared.writeUInt32LE(said.packed ?? packed.length, 14);
    shared.writeUInt32LE(said.size ?? bytes.length, 18);
    shared.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), shared, Buffer.from(name), packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(said.offset ?? at, 10);
    const made = Buffer.from([20, 0]);
    const header = [Buffer.from('PK\u0001\u0002'), made, shared, tail, Buffer.from(name)];
    central.push(Buffer.concat(header));
    locals.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(parts.length, 4);
  end.writeUInt16LE(parts.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...locals, directory, Buffer.from('PK\u0005\u0006'), end]);
}

/** Objects of a PDF, numbered from 1; the first is its catalog. */
export function pdfOf(objects: readonly (string | Buffer)[], trailer = ''): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  let at = parts[0]!.length;
  for (const [index, object] of objects.entries()) {
    const framed = [`${index + 1} 0 obj\n`, object, '\nendobj\n'].map((part) => Buffer.from(part));
    offsets.push(at);
    for (const part of framed) {
      parts.push(part);
      at += part.length;
    }
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  const xref = `xref\n0 ${size}\n0000000000 65535 f \n${rows}`;
  const rest = `trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${at}\n%%EOF\n`;
  return Buffer.concat([...parts, Buffer.from(xref + rest)]);
}

export function streamOf(data: Buffer | string, { dictionary = '', times = 1 } = {}): Buffer {
  let packed = Buffer.from(data);
  for (let time = 0; time < times; time += 1) packed = deflateSync(packed, { level: 9 });
  const filters = '/FlateDecode '.repeat(times);
  const head = `<< /Length ${packed.length} /Filter [${filters}] ${dictionary} >>\nstream\n`;
  return Buffer.concat([Buffer.from(head), packed, Buffer.from('\nendstream')]);
}

/** With a page for each content. */
export function pdfWithPages(contents: readonly (Buffer | string)[]): Buffer {
  const kids = contents.map((_, index) => `${4 + index * 2} 0 R`).join(' ');
  const pages = contents.flatMap((content, index) => [
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents ${5 + index * 2} 0 R /Resources << /Font << /F 3 0 R >> >> >>`,
    typeof content === 'string' ? streamOf(content) : content,
  ]);
  return pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${contents.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages,
  ]);
}

/**
 * A page of lines in a font that is not inside, as programs for East Asia make it.
 * @param font.encoding a predefined CMap (ISO 32000-1, table 118)
 * @param font.ordering the character collection of the font, such as `Japan1`
 * @param lines as hexadecimal digits of their bytes in that encoding
 */
export function pdfWithCMap(
  { encoding, ordering }: { encoding: string; ordering: string },
  lines: readonly string[],
): Buffer {
  const shown = lines.map((line) => `<${line}> Tj T*`).join('\n');
  return pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 7 0 R /Resources << /Font << /F 4 0 R >> >> >>',
    `<< /Type /Font /Subtype /Type0 /BaseFont /Absent /Encoding /${encoding} /DescendantFonts [5 0 R] >>`,
    `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Absent /FontDescriptor 6 0 R /DW 1000
        /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >> >>`,
    `<< /Type /FontDescriptor /FontName /Absent /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0
        /Ascent 900 /Descent -200 /CapHeight 700 /StemV 80 >>`,
    streamOf(`BT /F 12 Tf 18 TL 40 700 Td ${shown} ET`),
  ]);
}

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';

/** `body`: what is in `w:body`, or the whole of the part where it begins with an XML declaration. */
export function docxOf(body: Buffer | string): Buffer {
  const isWhole = typeof body !== 'string' || body.startsWith('<?xml');
  const document = isWhole
    ? body
    : `<w:document xmlns:w="${WORD}"><w:body>${body}</w:body></w:document>`;
  return zipOf([
    {
      name: '[Content_Types].xml',
      data: '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    },
    { name: 'word/document.xml', data: document },
  ]);
}
