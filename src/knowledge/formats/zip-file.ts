import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl';
import { FormatRefused } from './refusal.ts';

/** Maximum number of entries to read, regardless of the number that the archive declares. */
const ENTRIES_MAX = 10_000;

export type ZipEntry = {
  /** Path with `/` between folders. It never leads outside the archive. */
  name: string;
  /** Unpacks the entry. @throws FormatRefused, also if the content exceeds `bytesMax` */
  read: (bytesMax: number) => Promise<Buffer>;
};

/** Returns the files of an archive in the order in which it lists them, without folders. @throws FormatRefused */
export async function openZip(bytes: Uint8Array): Promise<ZipEntry[]> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const zip = await fromBufferPromise(buffer, { lazyEntries: true, strictFileNames: false });
    const entries: ZipEntry[] = [];
    for await (const entry of zip.eachEntry()) {
      if (entries.length >= ENTRIES_MAX) throw tooManyEntries();
      if (!entry.fileName.endsWith('/')) entries.push(entryOf(zip, entry));
    }
    return entries;
  } catch (error) {
    if (error instanceof FormatRefused || error instanceof RangeError) throw error;
    throw new FormatRefused('invalid_format', 'the ZIP archive is damaged: create it again');
  }
}

function entryOf(zip: ZipFile, entry: Entry): ZipEntry {
  const name = entry.fileName;
  return {
    name,
    read: async (bytesMax) => {
      if (entry.isEncrypted()) {
        throw new FormatRefused(
          'encrypted',
          'the file is password-protected: save it without a password',
        );
      }
      if (entry.uncompressedSize > bytesMax) throw tooLarge(bytesMax);
      try {
        return await inflated(zip, entry, bytesMax);
      } catch (error) {
        if (error instanceof FormatRefused || error instanceof RangeError) throw error;
        throw new FormatRefused('invalid_format', 'the file is damaged in the archive');
      }
    },
  };
}

async function inflated(zip: ZipFile, entry: Entry, bytesMax: number): Promise<Buffer> {
  const stream = await zip.openReadStreamPromise(entry);
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    length += piece.length;
    // The unpacked content may be larger than the archive declares.
    if (length > bytesMax) throw tooLarge(bytesMax);
    pieces.push(piece);
  }
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, length);
}

function tooLarge(bytesMax: number): FormatRefused {
  const detail = `the unpacked file is larger than ${Math.floor(bytesMax / 1024 / 1024)} MB`;
  return new FormatRefused('too_large', detail);
}

function tooManyEntries(): FormatRefused {
  const detail = `a ZIP archive may have at most ${ENTRIES_MAX} entries, but this one has more: split it into several archives`;
  return new FormatRefused('too_many', detail);
}
