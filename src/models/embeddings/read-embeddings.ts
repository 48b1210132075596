import { InvalidAnswer } from '../model-failure.ts';

/** Answer to `POST /embeddings`: one vector per text, in the order of the texts. */
export type Embeddings = { vectors: readonly Float32Array[]; tokens: number | null };

/** Maximum number of dimensions: twice the largest number of any current model. */
const DIMENSIONS_MAX = 8_192;

/**
 * Reads an answer whose vectors are numbers or float32 in base64. Normalizes each vector to length 1.
 * @throws InvalidAnswer unless the answer has exactly one usable vector per text, all of the same size
 */
export function readEmbeddings(answer: unknown, texts: number): Embeddings {
  const { data, usage } = (answer ?? {}) as { data?: unknown; usage?: { prompt_tokens?: unknown } };
  if (!Array.isArray(data)) throw new InvalidAnswer('answered without embeddings');
  if (data.length !== texts) {
    throw new InvalidAnswer(`answered with ${data.length} embeddings for ${texts} texts`);
  }
  const vectors = Array.from<Float32Array | undefined>({ length: texts });
  (data as unknown[]).forEach((one, at) => {
    const { index, embedding } = (one ?? {}) as { index?: unknown; embedding?: unknown };
    const place = typeof index === 'number' ? index : at;
    if (!(place in vectors) || vectors[place] !== undefined) {
      throw new InvalidAnswer('answered with two embeddings for one text');
    }
    vectors[place] = normalised(readVector(embedding));
  });
  // Each text has a vector, because the number of vectors matches and no index occurs twice.
  const all = vectors as Float32Array[];
  const size = all[0]?.length;
  if (all.some(({ length }) => length !== size)) {
    throw new InvalidAnswer('answered with embeddings of different lengths');
  }
  const told = usage?.prompt_tokens;
  return { vectors: all, tokens: typeof told === 'number' && told >= 0 ? told : null };
}

function readVector(embedding: unknown): Float32Array {
  const vector =
    typeof embedding === 'string'
      ? fromBase64(embedding)
      : Array.isArray(embedding)
        ? Float32Array.from(embedding as unknown[], (one) => (typeof one === 'number' ? one : NaN))
        : new Float32Array();
  if (vector.length === 0 || vector.length > DIMENSIONS_MAX) {
    throw new InvalidAnswer(
      `answered with an embedding of ${vector.length} numbers; 1 to ${DIMENSIONS_MAX} are allowed`,
    );
  }
  return vector;
}

/** Reads little-endian floats, as OpenAI sends them. */
function fromBase64(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  const { length } = bytes;
  if (length % 4 !== 0)
    throw new InvalidAnswer('answered with an incomplete number at the end of an embedding');
  return Float32Array.from({ length: length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
}

/** Normalizes a vector, so that the similarity of two vectors is their dot product. */
function normalised(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, one) => sum + one * one, 0));
  if (!Number.isFinite(length) || length === 0) {
    throw new InvalidAnswer('answered with an embedding whose length is zero or infinite');
  }
  return vector.map((one) => one / length);
}
