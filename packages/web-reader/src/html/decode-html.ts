// @ts-expect-error The package declares no types.
import untypedSniffer from 'html-encoding-sniffer';

/**
 * The HTML standard's encoding detection. It tries the byte order mark, the `Content-Type` header, the declaration in
 * the page and the default, in this order.
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
 * Number of bytes at the beginning of a page that are searched for a declared encoding. Browsers search only 1,024
 * bytes.
 */
const PRESCAN_BYTES = 4_096;

/**
 * Decodes a page. The encoding comes from the byte order mark, the `Content-Type` header or the page's own declaration,
 * in this order. If none of them names an encoding, uses UTF-8 if the bytes are valid UTF-8, and windows-1252
 * otherwise. Never fails: invalid bytes become U+FFFD. `charset` is the charset in the header, or `null` if the header
 * names none.
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
