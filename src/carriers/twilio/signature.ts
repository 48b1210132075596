import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Checks `X-Twilio-Signature` (Twilio's "Validating requests"): HMAC-SHA1, in base64, keyed with the account's token,
 * of the whole URL and then the name and value of each parameter of the body, sorted by name.
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

/** Returns the distinct values of a parameter. A repeated parameter counts once for each value. */
function valuesOf(params: URLSearchParams, name: string): string[] {
  return [...new Set(params.getAll(name))].toSorted();
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Returns an address unchanged, without its port, and with the default port. Twilio signs one of these spellings. A
 * call's webhook over https omits the port, and Twilio's libraries try the address with and without it.
 */
export function portSpellings(base: string): string[] {
  const [, scheme = '', host = '', path = ''] =
    /^(https?:)\/\/((?:\[[^\]]*\]|[^/:?#])*)(?::[0-9]*)?(.*)$/s.exec(base) ?? [];
  if (host === '') return [base];
  const bare = `${scheme}//${host}`;
  return [...new Set([base, `${bare}${path}`, `${bare}:${DEFAULT_PORTS[scheme]}${path}`])];
}
