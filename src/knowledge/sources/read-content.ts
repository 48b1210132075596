import { setImmediate } from 'node:timers/promises';
import { createHash } from 'node:crypto';
import { ApiError } from '../../errors.ts';
import { formatOf } from '../formats/format-of.ts';
import type { Extractor } from '../formats/extractor.ts';
import type { ExtractedDocument, FailedEntry } from '../formats/extracted.ts';
import { PASSAGES_MAX, type Content, type CutContent } from '../passages/cut-passages.ts';
import type { TextCutter } from '../passages/text-cutter.ts';
import { isPlain } from './accepted-format.ts';
import { cutOrRefuse } from './cut-or-refuse.ts';
import { UNNAMED_FILE, type Upload } from './knowledge-documents.sql.ts';

/** All documents of a source, divided into passages and ready to be written. */
export type ReadContent = {
  /** Hash of the uploaded or declared content, to detect changes. */
  hash: Buffer;
  documents: readonly CutContent[];
  /** Files that could not be read. */
  failed: readonly FailedEntry[];
};

export type ReadDeps = {
  cutter: Pick<TextCutter, 'cut'>;
  extractor: Pick<Extractor, 'extractFor'>;
};

/** Reads a declared text. @throws ApiError invalid_body, unavailable */
export async function readText(
  deps: Pick<ReadDeps, 'cutter'>,
  namespace: string,
  content: Content,
): Promise<ReadContent> {
  return readOf(await cutOrRefuse(deps, namespace, content));
}

/**
 * Reads an upload. Plain text is used as it is; other formats are parsed in a separate process.
 * @throws ApiError invalid_body with the reason why it cannot be read; unavailable
 */
export async function readUploaded(
  deps: ReadDeps,
  namespace: string,
  upload: Upload,
): Promise<ReadContent> {
  const { fileName, mediaType, content: bytes } = upload;
  const name = fileName ?? UNNAMED_FILE;
  const found = formatOf({ bytes, mediaType, name: fileName });
  if ('format' in found && isPlain(found.format, bytes)) {
    return readText(deps, namespace, { path: name, title: name, text: bytes });
  }
  const extracted = await deps.extractor.extractFor(namespace)({ bytes, mediaType, name });
  if ('refused' in extracted) throw refused(extracted.refused);
  const { failed } = extracted;
  const documents = await cutAll(deps, namespace, extracted.documents);
  return { hash: await hashInPieces(name, bytes), documents, failed };
}

/** Returns the content of a source that consists of one document. */
export function readOf(cut: CutContent): ReadContent {
  return { hash: cut.hash, documents: [cut], failed: [] };
}

/** Maximum size of all passages of a source in bytes. */
const PACKED_BYTES_MAX = 100_000_000;

async function cutAll(
  deps: Pick<ReadDeps, 'cutter'>,
  namespace: string,
  documents: readonly ExtractedDocument[],
): Promise<CutContent[]> {
  const all: CutContent[] = [];
  let [passages, packed] = [0, 0];
  for (const { name, title, text, language, bytes } of documents) {
    const content = { path: name, title: title ?? name, text, language };
    const cut = await cutOrRefuse(deps, namespace, content);
    passages += cut.passages;
    packed += cut.packed;
    if (passages > PASSAGES_MAX || packed > PACKED_BYTES_MAX) throw refused(TOO_MANY);
    // The quota counts the larger of two sizes: the upload, which is stored, and the extracted text, which is indexed.
    all.push({ ...cut, bytes: Math.max(bytes, cut.bytes) });
    // Yields to requests, because small documents are divided in this thread.
    await setImmediate();
  }
  return all;
}

const TOO_MANY = {
  code: 'too_many',
  detail:
    `a source may have at most ${PASSAGES_MAX} passages, with 100 MB in total, but these documents ` +
    'have more: split them into several sources',
};

function refused({ code, detail }: { code: string; detail: string }): ApiError {
  return new ApiError('invalid_body', detail, { errors: [{ pointer: '', code, detail }] });
}

const PIECE_BYTES = 1024 * 1024;

/** Returns the same hash as `contentHashOf`, but yields to other work between pieces. */
async function hashInPieces(name: string, bytes: Buffer): Promise<Buffer> {
  const hash = createHash('sha256').update(`${name}\0`);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    hash.update(bytes.subarray(at, at + PIECE_BYTES));
    await setImmediate();
  }
  return hash.digest();
}
