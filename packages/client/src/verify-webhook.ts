import type { webhooks } from './api.ts';

/** An event that Parley sends to a webhook endpoint. `type` discriminates the union. */
export type ParleyEvent = {
  [Type in keyof webhooks]: webhooks[Type]['post']['requestBody'] extends
    | { content: { 'application/json': infer Event } }
    | undefined
    ? Event
    : never;
}[keyof webhooks];

/** Thrown if the request was not signed with the secret. Respond with 400 and do not process the request. */
export class WebhookSignatureError extends Error {
  override readonly name = 'WebhookSignatureError';
}

type HeaderSource = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Verifies the signature of a webhook request and returns its event. `rawBody` must be the exact bytes that arrived: a
 * body that was parsed and serialized again may not match the signature. `secret` is the endpoint's secret, `whsec_…`.
 * During a secret rotation, Parley signs each request with the old and the new secret, and this function accepts
 * either. Web Crypto compares the signatures in constant time. It is available wherever `fetch` is. The same event may
 * arrive more than once, always with the same `id`.
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
  if (given.length === 0) throw new WebhookSignatureError('there is no parley-signature header');
  const key = await importKey(secret);
  for (const signature of given) {
    if (await isRight(key, signature, bytes)) {
      return JSON.parse(new TextDecoder().decode(bytes)) as ParleyEvent;
    }
  }
  throw new WebhookSignatureError('the body was not signed with this secret');
}

/** Type of a Web Crypto key. Its name differs between the type declarations for browsers and for Node. */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** Imports the secret's text as the key, including `whsec_`. The base64 after this prefix is not decoded. */
function importKey(secret: string): Promise<Key> {
  const hash = { name: 'HMAC', hash: 'SHA-256' };
  // Checked here, because some JavaScript engines reject an empty key without naming the cause.
  if (secret === '') throw new TypeError('the secret of the endpoint is empty');
  return crypto.subtle.importKey('raw', new TextEncoder().encode(secret), hash, false, ['verify']);
}

async function isRight(key: Key, signature: string, body: Uint8Array): Promise<boolean> {
  if (!/^[0-9a-f]{64}$/.test(signature)) return false;
  const mac = Uint8Array.from(signature.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
  // Copies the bytes, because the declared type of `verify` excludes views of a `SharedArrayBuffer`.
  return crypto.subtle.verify('HMAC', key, mac, Uint8Array.from(body));
}

/** Reads a header. Node provides an object with lower-case names; other runtimes provide `Headers`. */
function readHeader(headers: HeaderSource, name: string): string[] {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (value === null || value === undefined) return [];
  return typeof value === 'string' ? [value] : [...value];
}
