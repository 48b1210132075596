import { promisify } from 'node:util';
import { deflateRawSync, inflateRaw } from 'node:zlib';

export type NewChunk = {
  id: string;
  /** Position among the passages of its owner, from 0. */
  position: number;
  heading: string;
  text: string;
  /** Heading and text as `searchableText` returns them. */
  headingWords: string;
  textWords: string;
};

/** Maximum size of the passages in one batch, in UTF-16 units of their JSON. That is about a hundred passages. */
const BATCH_CHARS = 250_000;
const encoder = new TextEncoder();

/**
 * Packs passages into batches of JSON in UTF-8, one batch per statement. PostgreSQL parses the JSON, so the thread that
 * serves requests only forwards bytes.
 */
export function* packChunks(chunks: Iterable<NewChunk>): Generator<Uint8Array> {
  let open: string[] = [];
  let size = 0;
  const close = (): Uint8Array => {
    // Does not use a Buffer, because small Buffers share an ArrayBuffer, which cannot be transferred to another thread.
    const bytes = encoder.encode(`[${open.join(',')}]`);
    [open, size] = [[], 0];
    return bytes;
  };
  for (const { id, position, heading, text, headingWords, textWords } of chunks) {
    const row = { id, position, heading, text, heading_words: headingWords, text_words: textWords };
    const json = JSON.stringify(row);
    open.push(json);
    size += json.length;
    if (size >= BATCH_CHARS) yield close();
  }
  if (open.length > 0) yield close();
}

/**
 * Passages that one statement inserts. The batches of a large text are compressed, because they may be in memory for
 * minutes. Each batch contains every text twice, as a passage and as words, so compression reduces its size to a
 * quarter or less.
 */
export type Batch = Uint8Array | { deflated: Uint8Array };

export function deflateBatch(bytes: Uint8Array): { deflated: Uint8Array<ArrayBuffer> } {
  // Makes a copy with its own ArrayBuffer, which can be transferred to another thread.
  return { deflated: new Uint8Array(deflateRawSync(bytes, { level: 1 })) };
}

/** Returns a batch as uncompressed JSON for PostgreSQL. */
export async function readBatch(batch: Batch): Promise<Uint8Array> {
  if (batch instanceof Uint8Array) return batch;
  return inflate(batch.deflated, { chunkSize: 2 * BATCH_CHARS });
}

const inflate = promisify(inflateRaw);
