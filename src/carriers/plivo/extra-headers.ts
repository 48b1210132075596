/**
 * `extraHeaders` of a `<Stream>`, which come back in the frame `start`: the way in which a call hands its token to its socket.
 * Names and values have letters and digits only, so a token is written in hexadecimal.
 */
export const TOKEN_HEADER = 'token';

export const toHeaderValue = (token: string): string => Buffer.from(token).toString('hex');

/**
 * Returns the token. Plivo documents `a=1;b=2`. Commas, braces, colons, quotation marks and the prefix `X-PH-`, which its
 * SIP headers have, are accepted too.
 */
export function tokenIn(headers: string | undefined): string | undefined {
  for (const pair of (headers ?? '').split(/[;,{}]/)) {
    const [name = '', value = ''] = pair.replaceAll(/["' ]/g, '').split(/[=:]/);
    if (name.replace(/^X-PH-/i, '') === TOKEN_HEADER && /^[0-9a-f]+$/.test(value))
      return Buffer.from(value, 'hex').toString();
  }
  return undefined;
}
