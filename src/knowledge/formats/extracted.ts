import type { FormatRefusal } from './refusal.ts';

/** A document and the metadata that its source declares. */
export type ExtractInput = {
  bytes: Uint8Array;
  /** Media type without parameters, such as `text/html`; `null` if it was not declared. */
  mediaType: string | null;
  /** Charset that was declared with the media type. */
  charset?: string | null;
  /** File name or page address. Its extension decides the format if the media type does not. */
  name: string;
  /** Base URL for the links of a page. */
  url?: string | null;
};

/**
 * One document, or the documents of a ZIP. `failed` lists the entries of a ZIP that could not be read, with reasons.
 */
export type Extracted =
  | { refused: FormatRefusal }
  | { documents: ExtractedDocument[]; failed: FailedEntry[] };

export type FailedEntry = { name: string } & FormatRefusal;

export type ExtractedDocument = {
  /** Name of the input, or the path of an entry in its ZIP. */
  name: string;
  title: string | null;
  /** The text in Markdown. */
  text: string;
  /** Size of the original in bytes, before extraction. */
  bytes: number;
  /** ISO 639-1 code that the document declares. */
  language: string | null;
  /** Absolute addresses of the links. HTML only, as are `around`, `canonical` and `robots`. */
  links?: string[];
  /** Facts from the header and footer of a website's page, which `text` leaves out. */
  around?: string;
  canonical?: string | null;
  robots?: { noindex: boolean; nofollow: boolean };
};

/** Request to the child. `from` is the ZIP entry to begin with, after an entry that ended a child. */
export type Question = Omit<ExtractInput, 'bytes'> & { from: number };

/** Replies of the child, in this order. A document's text is in the bytes of its frame. */
export type Answer =
  | { kind: 'ready' }
  /** The ZIP entry that the child reads next. */
  | { kind: 'entry'; index: number; name: string }
  | { kind: 'document'; document: Omit<ExtractedDocument, 'text'> }
  | ({ kind: 'failed' } & FailedEntry)
  | ({ kind: 'refused' } & FormatRefusal)
  | { kind: 'done' };
