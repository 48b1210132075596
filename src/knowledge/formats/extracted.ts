import type { FormatRefusal } from './refusal.ts';

/** A document as it is, and what is said of it elsewhere. */
export type ExtractInput = {
  bytes: Uint8Array;
  /** Without parameters, such as `text/html`; null: nobody has said. */
  mediaType: string | null;
  /** As it was declared beside the media type. */
  charset?: string | null;
  /** A file's name or a page's address: its ending says what it is, where the media type does not. */
  name: string;
  /** Of a page: what its links are relative to. */
  url?: string | null;
};

/** One document, or those of a ZIP. `failed`: entries of a ZIP that could not be read, and why. */
export type Extracted =
  | { refused: FormatRefusal }
  | { documents: ExtractedDocument[]; failed: FailedEntry[] };

export type FailedEntry = { name: string } & FormatRefusal;

export type ExtractedDocument = {
  /** The name that was given; of an entry of a ZIP its path there. */
  name: string;
  title: string | null;
  /** Markdown. */
  text: string;
  /** Of the original, before anything was taken out of it. */
  bytes: number;
  /** ISO 639-1, as the document itself declares it. */
  language: string | null;
  /** Of HTML: absolute addresses of its links, its canonical one, and the robots meta. */
  links?: string[];
  /** Facts from the head and foot of a page of a site, which `text` leaves out. */
  around?: string;
  canonical?: string | null;
  robots?: { noindex: boolean; nofollow: boolean };
};

/** What the child is asked. `from`: the entry of a ZIP to begin with, after one that ended a child. */
export type Question = Omit<ExtractInput, 'bytes'> & { from: number };

/** What it answers, in this order; the text of a document is the bytes of its frame. */
export type Answer =
  | { kind: 'ready' }
  /** Of a ZIP: what is read next. */
  | { kind: 'entry'; index: number; name: string }
  | { kind: 'document'; document: Omit<ExtractedDocument, 'text'> }
  | ({ kind: 'failed' } & FailedEntry)
  | ({ kind: 'refused' } & FormatRefusal)
  | { kind: 'done' };
