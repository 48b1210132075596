/**
 * Name of the token in the `extraHeaders` of a `<Stream>`. Plivo returns these in the frame `start`, so that a call can
 * pass a token to its socket. Names and values may have letters and digits only, so the token is written in
 * hexadecimal.
 */
export const TOKEN_HEADER = 'token';

export const toHeaderValue = (token: string): string => Buffer.from(token).toString('hex');

/**
 * Returns the token. Plivo documents `a=1;b=2`. Commas, braces, colons, quotation marks and the prefix `X-PH-`, which
 * its SIP headers have, are accepted too.
 */
export function tokenIn(headers: string | undefined): string | undefined {
  for (const pair of (headers ?? '').split(/[;,{}]/)) {
    const [name = '', value = ''] = pair.replaceAll(/["' ]/g, '').split(/[=:]/);
    if (name.replace(/^X-PH-/i, '') === TOKEN_HEADER && /^[0-9a-f]+$/.test(value))
      return Buffer.from(value, 'hex').toString();
  }
  return undefined;
}
