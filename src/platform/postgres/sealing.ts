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
 * Encrypts (seals) secrets at rest: AES-256-GCM under `PARLEY_ENCRYPTION_KEY`. The location of a secret, its place, is
 * authenticated with it, so that an encrypted value copied into another row cannot be decrypted there. Layout: version
 * (1) | key id (4) | nonce (12) | tag (16) | ciphertext. The key id names the encryption key. It allows the key to be
 * replaced online: values under either of two keys can be decrypted, and only one of the keys encrypts
 * (docs/operations/rotate-keys.md).
 */
export type Sealer = {
  /** Id of the encryption key, which is in bytes 2 to 5 of every value that it encrypts. */
  keyId: Buffer;
  seal: (plain: string, place: string) => Buffer;
  /**
   * Decrypts a value.
   * @throws Error if the key or the place differs, or a bit has changed
   */
  open: (sealed: Buffer, place: string) => string;
  /**
   * Returns a 16-byte message authentication code of the data for one purpose (HMAC-SHA256, RFC 2104). Only a holder of
   * the key can compute it.
   */
  sign: (data: Buffer, purpose: string) => Buffer;
  /** Returns whether one of the keys computed the signature for this data and purpose. */
  isSigned: (data: Buffer, signature: Buffer, purpose: string) => boolean;
};

const VERSION = 1;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES;
/** 128 bits: cannot be guessed, and keeps links short. */
export const SIGNATURE_BYTES = 16;

/** Creates a sealer from 32-byte keys. `other` only decrypts and verifies. */
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
      // Required: without the length, Node also accepts a tag of four bytes, which can be guessed quickly.
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

/**
 * Computes the code under a key derived for the purpose. A signature is therefore valid for one purpose only, and the
 * derived key cannot decrypt anything.
 */
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
