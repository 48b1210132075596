import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHash } from 'node:crypto';

/**
 * An API that speaks `/embeddings`, on loopback. Its vectors are made of words: the same words point
 * the same way, and so do those that `SAME` puts together, however differently they are written.
 */
export type EmbeddingsStub = {
  /** `http://127.0.0.1:…/v1` */
  url: string;
  asked: {
    model: string;
    texts: string[];
    dimensions: number | undefined;
    key: string | undefined;
  }[];
  /** From now on; undefined: as it should. `at`: which request since, from 0. */
  answer: (how: Faulty | undefined) => void;
  /** Resolves once so many requests came. */
  came: (requests: number) => Promise<void>;
  stop: () => Promise<void>;
};

export type Faulty = (to: {
  at: number;
  texts: readonly string[];
  vectors: number[][];
  response: ServerResponse;
}) => unknown;

/** Words of one meaning; of nothing else in the texts of the tests. */
const SAME = [
  ['dog', 'dogs', 'hund', 'hunde', 'poodle', 'puppy', 'pets'],
  ['refund', 'refunds', 'money', 'reimbursement', 'repaid'],
  ['open', 'opening', 'hours', 'closes', 'geöffnet'],
  ['deliver', 'delivery', 'shipping', 'ship', 'parcels', 'lieferung'],
];
/** Says nothing about the subject. */
const EMPTY = new Set(
  'a an and are as at be by can do does for from get have how i if in is it may me my of on or our the there they to we what when where will with you your'.split(
    ' ',
  ),
);

export const STUB_DIMENSIONS = 64;

/** @param toVector what a text becomes; default: its words */
export async function startEmbeddingsStub(toVector = vectorOf): Promise<EmbeddingsStub> {
  const asked: EmbeddingsStub['asked'] = [];
  let faulty: Faulty | undefined;
  let at = 0;
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    // What a provider is looked at by.
    if (request.method === 'GET') {
      response.end('{"object":"list","data":[]}');
      return;
    }
    void read(request).then((body) => {
      const { model, input, dimensions } = JSON.parse(body) as Body;
      const texts = [input].flat();
      asked.push({ model, texts, dimensions, key: request.headers.authorization });
      for (const look of waiting) look();
      const vectors = texts.map((text) => toVector(text, dimensions ?? STUB_DIMENSIONS));
      const done = faulty?.({ at: at++, texts, vectors, response });
      if (done !== undefined) return;
      const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }));
      const tokens = texts.join(' ').split(' ').length;
      const usage = { prompt_tokens: tokens, total_tokens: tokens };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ object: 'list', data, model, usage }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // It listens on a port.
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    answer: (how) => {
      faulty = how;
      at = 0;
    },
    came: (requests) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (asked.length < requests) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

type Body = { model: string; input: string | string[]; dimensions?: number };

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** Each meaning is a direction of its own: its hash says which. */
export function vectorOf(text: string, dimensions: number): number[] {
  const vector: number[] = Array.from({ length: dimensions }, () => 0);
  const words = text.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? [];
  for (const word of words.filter((one) => !EMPTY.has(one))) {
    const meaning = SAME.find((group) => group.includes(word))?.[0] ?? word;
    const hash = createHash('sha256').update(meaning).digest();
    for (let one = 0; one < dimensions; one += 1) {
      vector[one]! += (hash[one % hash.length]! ^ ((one * 37) & 255)) / 255 - 0.5;
    }
  }
  // A text of empty words alone points somewhere, too.
  if (!vector.some(Boolean)) vector[0] = 1;
  return vector;
}
