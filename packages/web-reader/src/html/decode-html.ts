// @ts-expect-error The package declares no types.
import untypedSniffer from 'html-encoding-sniffer';

/** The standard's algorithm: byte order mark, header, page, default. */
const sniffEncoding = untypedSniffer as (
  bytes: Uint8Array,
  options: {
    transportLayerEncodingLabel?: string;
    maxPrescanBytes: number;
    defaultEncoding: string;
  },
) => string;

/** How far into a page its encoding may be declared; a browser looks through 1,024 bytes. */
const PRESCAN_BYTES = 4_096;

/**
 * The text of a page, in the encoding that its byte order mark, the header or the page itself names, in
 * this order; where nobody names one UTF-8 if it is that, else windows-1252. Never fails: what is not
 * text in that encoding is U+FFFD. `charset`: of the header; null: it names none.
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
  // A name of the standard that has no decoder: the page is to be treated as empty.
  if (encoding === 'replacement') return '';
  return new TextDecoder(encoding).decode(bytes);
}
