import { HtmlRefused } from '../../../packages/web-reader/src/html/html-refused.ts';
import { FormatRefused, type FormatRefusal } from './refusal.ts';

/** Converts a reader's error to the refusal that is returned to the sender of the document. */
export function refusalOf(error: unknown): FormatRefusal {
  if (error instanceof FormatRefused) return { code: error.code, detail: error.message };
  if (error instanceof HtmlRefused) return { code: error.code, detail: error.message };
  if (error instanceof RangeError) {
    const detail = 'reading the document exceeds the memory limit: split it into several documents';
    return { code: 'too_large', detail };
  }
  const detail =
    'the document is damaged: open it in the program that created it, and save it again';
  return { code: 'invalid_format', detail };
}
