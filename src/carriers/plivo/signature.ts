import { createHmac, timingSafeEqual } from 'node:crypto';

export type SignedPost = {
  /** URL of the request, including the query. */
  url: string;
  form: URLSearchParams;
  /** Value of the header `X-Plivo-Signature-V3-Nonce`. */
  nonce: string;
};

/**
 * Checks `X-Plivo-Signature-V3`: HMAC-SHA256 in base64, with the auth token as the key. While a token is being
 * replaced, the header contains several signatures, separated by commas.
 */
export function isSigned(authToken: string, post: SignedPost, signatures: string): boolean {
  const wanted = signatureOf(authToken, post);
  return signatures.split(',').some((one) => {
    const given = Buffer.from(one.trim(), 'base64');
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}

export function signatureOf(authToken: string, post: SignedPost): Buffer {
  return createHmac('sha256', authToken).update(signedText(post), 'utf8').digest();
}

/**
 * Returns the text that Plivo signs for a POST request: `address?query.form.nonce`. The query is sorted by name and
 * value. The form is written as names and values without separators, in the same order. Without a query, the text is
 * `address?form.nonce`. Without a form, it is `address?query.nonce`. Without either, it is `address.nonce`.
 */
function signedText({ url, form, nonce }: SignedPost): string {
  const at = url.indexOf('?');
  const address = at < 0 ? url : url.slice(0, at);
  const query = pairsOf(new URLSearchParams(at < 0 ? '' : url.slice(at)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  const fields = pairsOf(form).flat().join('');
  const asked = query === '' && fields === '' ? '' : `?${query}`;
  const posted = query === '' || fields === '' ? fields : `.${fields}`;
  return `${address}${asked}${posted}.${nonce}`;
}

function pairsOf(params: URLSearchParams): [string, string][] {
  return [...params].toSorted(([a, x], [b, y]) => compare(a, b) || compare(x, y));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
