import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/**
 * Secrets at rest: AES-256-GCM under PARLEY_ENCRYPTION_KEY. The place a secret belongs to is
 * authenticated with it, so that a sealed value copied into another row does not open there.
 *
 * Layout: version (1) | key id (4) | nonce (12) | tag (16) | ciphertext. The key id says which
 * key sealed it, which is what replacing the key online needs: what either of two keys sealed is
 * opened, and only one of them seals (docs/operations/rotate-keys.md).
 */
export type Sealer = {
  /** Bytes 2 to 5 of all that it seals. */
  keyId: Buffer;
  seal: (plain: string, place: string) => Buffer;
  /** @throws Error when the key or the place is another one, or a bit has changed. */
  open: (sealed: Buffer, place: string) => string;
  /** 16 bytes that only who has the key can make of these, for that purpose (HMAC-SHA256, RFC 2104). */
  sign: (data: Buffer, purpose: string) => Buffer;
  /** Whether they were made of these with one of its keys. */
  isSigned: (data: Buffer, signature: Buffer, purpose: string) => boolean;
};

const VERSION = 1;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES;
/** 128 bits cannot be guessed, and a link stays short. */
export const SIGNATURE_BYTES = 16;

/** Keys are 32 bytes. `other` only opens. */
export function createSealer(key: Buffer, other?: Buffer): Sealer {
  const keyId = idOf(key);
  const keys = new Map([key, ...(other ? [other] : [])].map((one) => [idText(idOf(one)), one]));
  return {
    keyId,
    seal: (plain, place) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.of(VERSION), keyId, nonce, cipher.getAuthTag(), body]);
    },
    open: (sealed, place) => {
      const sealedWith = keys.get(idText(sealed.subarray(1, HEADER_BYTES)));
      if (sealed[0] !== VERSION || sealedWith === undefined) {
        throw new Error(`the secret of ${place} was sealed with another PARLEY_ENCRYPTION_KEY`);
      }
      const nonce = sealed.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES);
      const tag = sealed.subarray(
        HEADER_BYTES + NONCE_BYTES,
        HEADER_BYTES + NONCE_BYTES + TAG_BYTES,
      );
      // Without the length Node takes a tag of four bytes too, which is guessed in no time.
      const decipher = createDecipheriv('aes-256-gcm', sealedWith, nonce, {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(place))
        .setAuthTag(tag);
      const body = sealed.subarray(HEADER_BYTES + NONCE_BYTES + TAG_BYTES);
      return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
    },
    sign: (data, purpose) => macOf(key, data, purpose),
    isSigned: (data, signature, purpose) =>
      signature.length === SIGNATURE_BYTES &&
      [...keys.values()].some((one) => timingSafeEqual(macOf(one, data, purpose), signature)),
  };
}

/** By a key of its own for each purpose: what is signed for one is worth nothing for another, nor for sealing. */
function macOf(key: Buffer, data: Buffer, purpose: string): Buffer {
  const own = Buffer.from(hkdfSync('sha256', key, '', `parley sign ${purpose}`, 32));
  return createHmac('sha256', own).update(data).digest().subarray(0, SIGNATURE_BYTES);
}

function idOf(key: Buffer): Buffer {
  return createHash('sha256').update(key).digest().subarray(0, KEY_ID_BYTES);
}

function idText(id: Buffer): string {
  return id.toString('hex');
}
