import type { FormatRefusal } from './refusal.ts';

/** A document and the metadata that its source declares. */
export type ExtractInput = {
  bytes: Uint8Array;
  /** Media type without parameters, such as `text/html`; `null` if it was not declared. */
  mediaType: string | null;
  /** Charset that was declared with the media type. */
  charset?: string | null;
  /**
   * File name or page address. If the first bytes of the document do not reveal its format, the extension in this name
   * decides. If the extension does not decide either, the media type does.
   */
  name: string;
  /** Base URL for the links of a page. */
  url?: string | null;
};

/**
 * Result of reading a document or a ZIP of documents. `refused` is the reason why nothing could be read. `failed` lists
 * the ZIP entries that could not be read, with the reason for each.
 */
export type Extracted =
  | { refused: FormatRefusal }
  | { documents: ExtractedDocument[]; failed: FailedEntry[] };

export type FailedEntry = { name: string } & FormatRefusal;

export type ExtractedDocument = {
  /** Name of the input, or the path of the entry within its ZIP. */
  name: string;
  title: string | null;
  /** The text in Markdown. */
  text: string;
  /** Size of the original in bytes, before extraction. */
  bytes: number;
  /** Language that the document declares, as an ISO 639-1 code. */
  language: string | null;
  /** Absolute URLs of the links. Only HTML documents have `links`, `around`, `canonical` and `robots`. */
  links?: string[];
  /** Contact details and other facts from the header and footer of a web page, which `text` leaves out. */
  around?: string;
  canonical?: string | null;
  robots?: { noindex: boolean; nofollow: boolean };
};

/**
 * Request to the child process. `from` is the index of the ZIP entry at which to begin. It is above 0 if a previous
 * child crashed at an earlier entry.
 */
export type Question = Omit<ExtractInput, 'bytes'> & { from: number };

/**
 * Messages that the child process sends to its parent. The child sends `ready` once, when it has started. For each
 * request, it sends any number of the other messages and finally `done`. The text of a `document` is not in the JSON,
 * but in the binary part of the same frame.
 */
export type Answer =
  | { kind: 'ready' }
  /** The child begins to read this ZIP entry. */
  | { kind: 'entry'; index: number; name: string }
  | { kind: 'document'; document: Omit<ExtractedDocument, 'text'> }
  | ({ kind: 'failed' } & FailedEntry)
  | ({ kind: 'refused' } & FormatRefusal)
  | { kind: 'done' };
