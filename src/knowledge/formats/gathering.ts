import type { Answer, Extracted, ExtractedDocument, FailedEntry } from './extracted.ts';
import type { Frame } from './frames.ts';
import type { ChildLost } from './guarded-child.ts';
import type { FormatRefusal } from './refusal.ts';

/**
 * Collects the messages about one document. They may come from several children: if an entry of a ZIP crashes a child,
 * the next child continues after that entry.
 */
export function createGathering() {
  const documents: ExtractedDocument[] = [];
  const failed: FailedEntry[] = [];
  let refused: FormatRefusal | undefined;
  let entry: { index: number; name: string } | undefined;
  let next = 0;
  return {
    take: ({ header, bytes }: Frame<Answer>): void => {
      if (header.kind === 'document')
        documents.push({ ...header.document, text: bytes.toString() });
      if (header.kind === 'failed') failed.push(failedOf(header));
      if (header.kind === 'entry') entry = { index: header.index, name: header.name };
      if (header.kind === 'refused') refused = { code: header.code, detail: header.detail };
    },
    next: () => next,
    /**
     * Records a failure for the entry that was being read when the child was lost. Returns false if no entry was being
     * read.
     */
    skip: (refusal: FormatRefusal): boolean => {
      if (!entry || entry.index < next) return false;
      failed.push({ name: entry.name, ...refusal });
      next = entry.index + 1;
      return true;
    },
    all: (): Extracted => {
      if (refused) return { refused };
      return documents.length > 0 ? { documents, failed } : { refused: noneOf(failed) };
    },
  };
}

function failedOf({ name, code, detail }: FailedEntry): FailedEntry {
  return { name, code, detail };
}

/** Returns the refusal for a ZIP in which no entry could be read. */
function noneOf(failed: readonly FailedEntry[]): FormatRefusal {
  const [first] = failed;
  if (!first) return { code: 'invalid_format', detail: 'the document has no readable content' };
  const isAll = failed.every(({ code }) => code === first.code);
  const detail = `none of the ${failed.length} files in the archive can be read; the first error is in ${first.name}: ${first.detail}`;
  return { code: isAll ? first.code : 'invalid_format', detail };
}

export function tookTooLong(timeoutMs: number): FormatRefusal {
  const detail = `reading the document takes more than ${timeoutMs / 1_000} s: split it into smaller documents`;
  return { code: 'too_large', detail };
}

export function lostBy({ why }: ChildLost): FormatRefusal {
  if (why === 'memory') {
    return {
      code: 'too_large',
      detail:
        'reading the document takes more than 256 MB of memory: split it into smaller documents',
    };
  }
  const detail =
    'the document is damaged: open it in the program that created it, and save it again';
  return { code: 'invalid_format', detail };
}
