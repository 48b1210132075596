import { promisify } from 'node:util';
import { deflateRawSync, inflateRaw } from 'node:zlib';

export type NewChunk = {
  id: string;
  /** Among the passages of its owner, from 0. */
  position: number;
  heading: string;
  text: string;
  /** Heading and text as `searchableText` has them. */
  headingWords: string;
  textWords: string;
};

/** Passages of one statement, by the UTF-16 units of their JSON: some hundred. */
const BATCH_CHARS = 250_000;
const encoder = new TextEncoder();

/**
 * Passages as JSON in bytes, a batch for each statement. PostgreSQL reads them itself: the thread
 * that answers requests only hands them on.
 */
export function* packChunks(chunks: Iterable<NewChunk>): Generator<Uint8Array> {
  let open: string[] = [];
  let size = 0;
  const close = (): Uint8Array => {
    // Not a Buffer: small ones share their memory, which then cannot change its thread.
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
 * Passages of one statement. Those of a large text wait for minutes until they are written, and are deflated: they have a
 * text twice, in passages and in words, so that they take a fourth or less.
 */
export type Batch = Uint8Array | { deflated: Uint8Array };

export function deflateBatch(bytes: Uint8Array): { deflated: Uint8Array<ArrayBuffer> } {
  // A copy, which has its memory for itself and can change its thread.
  return { deflated: new Uint8Array(deflateRawSync(bytes, { level: 1 })) };
}

/** Returns a batch as PostgreSQL reads it. */
export async function readBatch(batch: Batch): Promise<Uint8Array> {
  if (batch instanceof Uint8Array) return batch;
  return inflate(batch.deflated, { chunkSize: 2 * BATCH_CHARS });
}

const inflate = promisify(inflateRaw);
