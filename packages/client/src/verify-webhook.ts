import type { webhooks } from './api.ts';

/** What Parley sends, discriminated by `type`. */
export type ParleyEvent = {
  [Type in keyof webhooks]: webhooks[Type]['post']['requestBody'] extends
    | { content: { 'application/json': infer Event } }
    | undefined
    ? Event
    : never;
}[keyof webhooks];

/** The request was not signed with the secret: answer 400 and do nothing. */
export class WebhookSignatureError extends Error {
  override readonly name = 'WebhookSignatureError';
}

type HeaderSource = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The event of a delivery, when it is from Parley. `rawBody` is what arrived, byte for byte: a body
 * that was parsed and written again has another signature. `secret` is the endpoint's, `whsec_…`,
 * the old or the new one while it is rotated. Web Crypto, so that it runs where `fetch` does; it
 * compares in constant time. An event may come more than once, with the same `id`.
 * @throws WebhookSignatureError
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: HeaderSource,
  secret: string,
): Promise<ParleyEvent> {
  const bytes = typeof rawBody === 'string' ? new TextEncoder().encode(rawBody) : rawBody;
  const given = ['parley-signature', 'parley-signature-next'].flatMap((name) =>
    readHeader(headers, name),
  );
  if (given.length === 0) throw new WebhookSignatureError('there is no parley-signature');
  const key = await importKey(secret);
  for (const signature of given) {
    if (await isRight(key, signature, bytes)) {
      return JSON.parse(new TextDecoder().decode(bytes)) as ParleyEvent;
    }
  }
  throw new WebhookSignatureError('the body was not signed with this secret');
}

/** Its name differs between the types of browsers and of Node. */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** Keyed with the text of the secret as it is shown, not with what it encodes. */
function importKey(secret: string): Promise<Key> {
  const hash = { name: 'HMAC', hash: 'SHA-256' };
  // An empty key is refused by some engines with an error that names no cause.
  if (secret === '') throw new TypeError('the secret of the endpoint is empty');
  return crypto.subtle.importKey('raw', new TextEncoder().encode(secret), hash, false, ['verify']);
}

async function isRight(key: Key, signature: string, body: Uint8Array): Promise<boolean> {
  if (!/^[0-9a-f]{64}$/.test(signature)) return false;
  const mac = Uint8Array.from(signature.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
  // A copy: a view into a larger buffer, as Node's are, may not be shared memory here.
  return crypto.subtle.verify('HMAC', key, mac, Uint8Array.from(body));
}

/** Node gives an object with names in lower case, everybody else `Headers`. */
function readHeader(headers: HeaderSource, name: string): string[] {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (value === null || value === undefined) return [];
  return typeof value === 'string' ? [value] : [...value];
}
