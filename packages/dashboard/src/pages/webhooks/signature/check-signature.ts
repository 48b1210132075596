/**
 * Result of checking whether a body was signed with a secret (contract/deliveries.md#headers). If it was not, `says`
 * explains the most likely reason. The check uses Web Crypto in the browser, so that pasted data does not leave the
 * page.
 */
export type Checked = { isValid: boolean; says: string };

/** Input of the check. `id` and `timestamp` are needed only for Standard Webhooks; `parley-signature` uses neither. */
export type Given = {
  body: string;
  signature: string;
  secret: string;
  id?: string;
  timestamp?: string;
};

export async function checkSignature(given: Given): Promise<Checked> {
  const secret = given.secret.trim();
  const signature = given.signature.trim();
  if (secret === '' || signature === '') return no('Paste the header and the secret too.');
  const check = signature.includes('v1,') ? checkStandard : checkParley;
  return check({ ...given, secret, signature });
}

async function checkParley({ body, signature, secret }: Given): Promise<Checked> {
  const given = signature.replace(/^(parley-signature(-next)?:)?\s*(sha256=)?/i, '');
  const key = bytesOf(secret);
  const isBy = async (text: string, by = key): Promise<boolean> =>
    hex(await mac(by, text)) === given.toLowerCase();

  if (await isBy(body)) return formOf(signature, given);
  if (base64(await mac(key, body)) === given) {
    return no('The digest is right, but in base64. parley-signature is lowercase hex.');
  }
  const changed = await findChange(body, isBy);
  if (changed !== undefined) return no(changed);
  const decoded = decodedSecret(secret);
  if (decoded && (await isBy(body, decoded))) {
    return no(
      'The HMAC was computed with the decoded bytes of the secret. For parley-signature, use the text of the secret as shown, including whsec_.',
    );
  }
  return no(whoseFault(body, secret, given));
}

/** Checks the format of a signature whose digest is right. */
function formOf(signature: string, given: string): Checked {
  if (given !== given.toLowerCase()) {
    return no('The digest is right, but in upper case. The header is lowercase hex.');
  }
  if (/sha256=/i.test(signature)) {
    return no('The digest is right, but the header has no “sha256=” prefix.');
  }
  return { isValid: true, says: 'Signed with this secret, and the body is unchanged.' };
}

async function checkStandard({ body, signature, secret, id, timestamp }: Given): Promise<Checked> {
  if (!id || !timestamp) {
    return no('This is webhook-signature, which also needs webhook-id and webhook-timestamp.');
  }
  const key = decodedSecret(secret);
  if (!key) return no('The secret must be whsec_ followed by base64.');
  const given = signature.split(/\s+/).map((one) => one.replace(/^v1,/, ''));
  const isBy = async (text: string, by = key): Promise<boolean> =>
    given.includes(base64(await mac(by, `${id}.${timestamp}.${text}`)));
  if (await isBy(body)) {
    return { isValid: true, says: 'Signed with this secret, and the body is unchanged.' };
  }
  if (await isBy(body, bytesOf(secret))) {
    return no(
      'The HMAC was computed with the text of the secret. For webhook-signature, use the decoded bytes after whsec_.',
    );
  }
  return no((await findChange(body, isBy)) ?? whoseFault(body, secret, 'a'.repeat(64)));
}

/** Returns how the body was changed after signing, or undefined if no known change explains it. */
async function findChange(
  body: string,
  isBy: (text: string) => Promise<boolean>,
): Promise<string | undefined> {
  if (body !== body.trim() && (await isBy(body.trim()))) {
    return 'The pasted body has extra whitespace at its start or end, such as a line break.';
  }
  for (const text of rewritings(body)) {
    if (await isBy(text)) {
      return 'The body was parsed and written again (spaces, order or escapes differ). Check the raw bytes, before any JSON parser.';
    }
  }
  return undefined;
}

/** Returns the body as compact JSON, first with its own order of members and then with Parley's order. */
function rewritings(body: string): string[] {
  const parsed = parsedOf(body);
  if (!parsed) return [];
  const { id, type, created, data } = parsed;
  return [JSON.stringify(parsed), JSON.stringify({ id, type, created, data })];
}

function whoseFault(body: string, secret: string, given: string): string {
  if (!/^[0-9a-f]{64}$/i.test(given)) {
    return 'This is not a signature: parley-signature has 64 hex digits.';
  }
  if (!/^whsec_[A-Za-z0-9+/]+=*$/.test(secret)) {
    return 'This is not an endpoint secret, which is whsec_ followed by base64. Paste the whole secret.';
  }
  const parsed = parsedOf(body);
  const isWhole = parsed !== undefined && rewritings(body)[1] === body;
  return isWhole
    ? 'The body looks unchanged, so it was signed with a different secret, such as another endpoint’s secret or an older one.'
    : 'Either this is not the right secret, or the body was changed in a way that cannot be recognized. Paste the raw bytes of the body.';
}

function parsedOf(body: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
    return isObject ? (parsed as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

type Bytes = Uint8Array<ArrayBuffer>;

function no(says: string): Checked {
  return { isValid: false, says };
}

function bytesOf(text: string): Bytes {
  return new TextEncoder().encode(text);
}

function decodedSecret(secret: string): Bytes | undefined {
  try {
    const text = atob(secret.replace(/^whsec_/, ''));
    return text === '' ? undefined : Uint8Array.from(text, (one) => one.codePointAt(0) ?? 0);
  } catch {
    return undefined;
  }
}

async function mac(keyBytes: Bytes, text: string): Promise<Uint8Array> {
  const hash = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', keyBytes, hash, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, bytesOf(text)));
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCodePoint(...bytes));
}
