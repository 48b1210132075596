import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Checks `X-Twilio-Signature` (Twilio's "Validating requests"): HMAC-SHA1 in base64, with the account's token as the
 * key. The signature covers the whole URL, followed by the name and value of each body parameter, sorted by name.
 */
export function isSigned(
  authToken: string,
  request: { url: string; params: URLSearchParams; signature: string | undefined },
): boolean {
  const given = Buffer.from(request.signature ?? '', 'base64');
  const wanted = signatureOf(authToken, request);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

export function signatureOf(
  authToken: string,
  { url, params }: { url: string; params: URLSearchParams },
): Buffer {
  const names = [...new Set(params.keys())].toSorted();
  const text = names
    .map((name) =>
      valuesOf(params, name)
        .map((value) => name + value)
        .join(''),
    )
    .join('');
  return createHmac('sha1', authToken)
    .update(url + text, 'utf8')
    .digest();
}

/** Returns the distinct values of a parameter. Twilio signs a repeated value only once. */
function valuesOf(params: URLSearchParams, name: string): string[] {
  return [...new Set(params.getAll(name))].toSorted();
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Returns a base URL in up to three spellings: unchanged, without its port, and with the default port. Twilio signs one
 * of these. For call webhooks over HTTPS, it omits the port. Twilio's own libraries try the URL both with and without
 * the port.
 */
export function portSpellings(base: string): string[] {
  const [, scheme = '', host = '', path = ''] =
    /^(https?:)\/\/((?:\[[^\]]*\]|[^/:?#])*)(?::[0-9]*)?(.*)$/s.exec(base) ?? [];
  if (host === '') return [base];
  const bare = `${scheme}//${host}`;
  return [...new Set([base, `${bare}${path}`, `${bare}:${DEFAULT_PORTS[scheme]}${path}`])];
}
