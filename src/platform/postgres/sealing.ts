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
 * Encrypts ("seals") secrets at rest with AES-256-GCM and `PARLEY_ENCRYPTION_KEY`. Each secret is authenticated
 * together with its location (its "place"), so that an encrypted value copied into a different row cannot be decrypted
 * there. Layout in bytes: version (1) | key id (4) | nonce (12) | tag (16) | ciphertext. The key id identifies the
 * encryption key, so that the key can be replaced without downtime: during a replacement, the new key encrypts, and
 * both the old and the new key decrypt (docs/operations/rotate-keys.md).
 */
export type Sealer = {
  /** Id of the encryption key. It is in bytes 2 to 5 of every value encrypted with that key. */
  keyId: Buffer;
  seal: (plain: string, place: string) => Buffer;
  /**
   * Decrypts a value.
   * @throws Error if the key or the place is different, or if any bit was changed
   */
  open: (sealed: Buffer, place: string) => string;
  /**
   * Returns a 16-byte message authentication code for the data and one purpose (HMAC-SHA256, RFC 2104). The code can be
   * computed only with the encryption key.
   */
  sign: (data: Buffer, purpose: string) => Buffer;
  /** Returns true if one of the keys computed the signature for this data and purpose. */
  isSigned: (data: Buffer, signature: Buffer, purpose: string) => boolean;
};

const VERSION = 1;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES;
/** Length of a signature in bytes. 128 bits cannot be guessed, and keep links short. */
export const SIGNATURE_BYTES = 16;

/** Creates a sealer from 32-byte keys. `other` is used only to decrypt and verify. */
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
        throw new Error(`the secret ${place} was encrypted with a different PARLEY_ENCRYPTION_KEY`);
      }
      const nonce = sealed.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES);
      const tag = sealed.subarray(
        HEADER_BYTES + NONCE_BYTES,
        HEADER_BYTES + NONCE_BYTES + TAG_BYTES,
      );
      // `authTagLength` is needed, because otherwise Node also accepts a tag of four bytes, which can be guessed
      // quickly.
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
 * Computes the code with a key derived for the purpose. A signature is therefore valid for one purpose only, and the
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
