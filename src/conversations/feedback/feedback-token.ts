import { SIGNATURE_BYTES, type Sealer } from '../../platform/postgres/sealing.ts';

/** Content of a feedback link: the conversation (UUID) and the expiry (Unix seconds). */
export type FeedbackLink = { conversationId: string; expiresAt: number };

const PURPOSE = 'feedback';
const UUID_BYTES = 16;
const TIME_BYTES = 4;

/**
 * Returns a token of 48 characters: UUID (16 bytes), Unix seconds (4) and signature (16), in base64url. Tokens are not
 * stored, because the signing key is enough to verify them. They are signed but not encrypted, because an id is not a
 * secret.
 */
export function feedbackToken(
  sealer: Pick<Sealer, 'sign'>,
  { conversationId, expiresAt }: FeedbackLink,
): string {
  const data = Buffer.alloc(UUID_BYTES + TIME_BYTES);
  data.write(conversationId.replaceAll('-', ''), 'hex');
  data.writeUInt32BE(expiresAt, UUID_BYTES);
  return Buffer.concat([data, sealer.sign(data, PURPOSE)]).toString('base64url');
}

/** Returns the content of a token, or undefined if its signature is invalid. The caller must check the expiry. */
export function readFeedbackToken(
  sealer: Pick<Sealer, 'isSigned'>,
  token: string,
): FeedbackLink | undefined {
  if (!/^[\w-]{48}$/.test(token)) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  const data = bytes.subarray(0, -SIGNATURE_BYTES);
  if (!sealer.isSigned(data, bytes.subarray(-SIGNATURE_BYTES), PURPOSE)) return undefined;
  const hex = data.toString('hex', 0, UUID_BYTES);
  const uuid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return { conversationId: uuid, expiresAt: data.readUInt32BE(UUID_BYTES) };
}
