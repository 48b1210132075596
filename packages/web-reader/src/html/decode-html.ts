// @ts-expect-error The package declares no types.
import untypedSniffer from 'html-encoding-sniffer';

/**
 * Implementation of the HTML standard's encoding detection: byte order mark, `Content-Type` header, declaration in the
 * page, default.
 */
const sniffEncoding = untypedSniffer as (
  bytes: Uint8Array,
  options: {
    transportLayerEncodingLabel?: string;
    maxPrescanBytes: number;
    defaultEncoding: string;
  },
) => string;

/**
 * Number of bytes at the beginning of a page in which a declared encoding is searched for. Browsers search only 1,024
 * bytes.
 */
const PRESCAN_BYTES = 4_096;

/**
 * Decodes a page with the encoding of its byte order mark, of the `Content-Type` header or of the page itself, in this
 * order. Without any of these, it uses UTF-8 if the bytes are valid UTF-8, and windows-1252 otherwise. Never fails:
 * invalid bytes become U+FFFD. `charset` comes from the header; `null` if the header names none.
 */
export function decodeHtml(bytes: Uint8Array, charset: string | null): string {
  const declared = sniffEncoding(bytes, {
    ...(charset !== null && { transportLayerEncodingLabel: charset }),
    maxPrescanBytes: PRESCAN_BYTES,
    defaultEncoding: UNDECLARED,
  });
  if (declared !== UNDECLARED) return decode(bytes, declared);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return decode(bytes, 'windows-1252');
  }
}

const UNDECLARED = 'undeclared';

function decode(bytes: Uint8Array, encoding: string): string {
  // The Encoding standard defines the name `replacement`, but no usable decoder for it. Such a page is treated as
  // empty.
  if (encoding === 'replacement') return '';
  return new TextDecoder(encoding).decode(bytes);
}
