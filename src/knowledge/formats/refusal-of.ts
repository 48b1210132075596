import { HtmlRefused } from '../../../packages/web-reader/src/html/html-refused.ts';
import { FormatRefused, type FormatRefusal } from './refusal.ts';

/** Converts an error of a reader to the reason that the sender of the document gets. */
export function refusalOf(error: unknown): FormatRefusal {
  if (error instanceof FormatRefused) return { code: error.code, detail: error.message };
  if (error instanceof HtmlRefused) return { code: error.code, detail: error.message };
  if (error instanceof RangeError) {
    const detail = 'reading this document takes more memory than one may have: use several';
    return { code: 'too_large', detail };
  }
  const detail =
    'the document is damaged: open it in the program it was made with, and save it again';
  return { code: 'invalid_format', detail };
}
