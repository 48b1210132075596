import { createHash } from 'node:crypto';
import { EmbeddingFailure, type Embedded } from '../../models/embeddings/embedder.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { findByHash, type NewVector, type PassageToEmbed } from './knowledge-vectors.sql.ts';
import { toBytes } from './vector-bytes.ts';

/** Embeds texts in one request. @throws EmbeddingFailure */
export type EmbedTexts = (texts: readonly string[]) => Promise<Embedded>;

/**
 * Returns the vectors of passages. Reuses the vectors of texts that were embedded before for the same owner. If the
 * provider rejects only some of the texts, their vectors are missing from the result. If it rejects all, the error is
 * thrown.
 * @throws EmbeddingFailure
 */
export async function vectorsOf(
  { db, embed }: { db: Db; embed: EmbedTexts },
  embeddingsId: number,
  passages: readonly PassageToEmbed[],
): Promise<NewVector[]> {
  const texts = new Map(passages.map((passage) => [keyOf(passage), textOf(passage)]));
  const hashes = [...texts.keys()].map((key) => Buffer.from(key, 'hex'));
  const known = await findByHash(db, embeddingsId, hashes);
  const missing = [...texts].filter(([key]) => !known.has(key));
  const made = await embedTaken(
    embed,
    missing.map(([, text]) => text),
  );
  missing.forEach(([key], at) => {
    const vector = made[at];
    if (vector) known.set(key, toBytes(vector));
  });
  return passages.flatMap((passage) => {
    const vector = known.get(keyOf(passage));
    const hash = Buffer.from(keyOf(passage), 'hex');
    return vector ? [{ chunkId: passage.chunkId, hash, vector }] : [];
  });
}

/**
 * Embeds texts. If the provider rejects one text but accepts others, the result for that text is `undefined`. Usually
 * such a text is too long for the model.
 */
async function embedTaken(
  embed: EmbedTexts,
  texts: readonly string[],
): Promise<readonly (Float32Array | undefined)[]> {
  if (texts.length === 0) return [];
  try {
    return (await embed(texts)).vectors;
  } catch (error) {
    if (!isRefusal(error) || texts.length === 1) throw error;
    // Sends the shortest text alone. If even that fails, the cause is the model or the URL, not a text.
    await embed([texts.toSorted((a, b) => a.length - b.length)[0]!]);
    return halved(embed, texts);
  }
}

async function halved(
  embed: EmbedTexts,
  texts: readonly string[],
): Promise<(Float32Array | undefined)[]> {
  const half = Math.ceil(texts.length / 2);
  const made: (Float32Array | undefined)[] = [];
  for (const part of [texts.slice(0, half), texts.slice(half)].filter(({ length }) => length > 0)) {
    try {
      made.push(...(await embed(part)).vectors);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      made.push(...(part.length === 1 ? [undefined] : await halved(embed, part)));
    }
  }
  return made;
}

function isRefusal(error: unknown): boolean {
  return error instanceof EmbeddingFailure && error.failure.code === 'model_refused';
}

/**
 * Returns the text to embed. It includes the headings, which name the subject of a passage. The heading of an answer is
 * its question.
 */
function textOf({ heading, text }: PassageToEmbed): string {
  return heading === '' ? text : `${heading}\n${text}`;
}

function keyOf(passage: PassageToEmbed): string {
  return createHash('sha256').update(textOf(passage)).digest('hex').slice(0, 32);
}
