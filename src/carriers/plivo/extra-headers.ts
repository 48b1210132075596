/**
 * Name of the token in the attribute `extraHeaders` of a `<Stream>`. Plivo repeats the extra headers in the `start`
 * frame and so passes the token to the socket. Names and values may contain only letters and digits, so the token is
 * encoded in hexadecimal.
 */
export const TOKEN_HEADER = 'token';

export const toHeaderValue = (token: string): string => Buffer.from(token).toString('hex');

/**
 * Returns the token from the extra headers. Plivo documents the form `a=1;b=2`. This function also accepts commas,
 * braces, colons, quotation marks and the prefix `X-PH-`, which Plivo uses in its SIP headers.
 */
export function tokenIn(headers: string | undefined): string | undefined {
  for (const pair of (headers ?? '').split(/[;,{}]/)) {
    const [name = '', value = ''] = pair.replaceAll(/["' ]/g, '').split(/[=:]/);
    if (name.replace(/^X-PH-/i, '') === TOKEN_HEADER && /^[0-9a-f]+$/.test(value))
      return Buffer.from(value, 'hex').toString();
  }
  return undefined;
}
