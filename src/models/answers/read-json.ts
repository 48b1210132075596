import { InvalidAnswer } from '../model-failure.ts';

/**
 * Reads a whole answer as JSON. `tooLong` completes the error message "answered with more than …". @throws
 * InvalidAnswer
 */
export async function readJson(
  { body }: Response,
  { bytesMax, tooLong }: { bytesMax: number; tooLong: string },
): Promise<unknown> {
  if (body === null) throw new InvalidAnswer('answered without a body');
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > bytesMax) throw new InvalidAnswer(`answered with more than ${tooLong}`);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch (error) {
    throw new InvalidAnswer('answered with invalid JSON', { cause: error });
  }
}
