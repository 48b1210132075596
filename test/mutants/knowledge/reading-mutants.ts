import type { Mutant } from '../mutant.ts';

const FEED = 'src/knowledge/integration/integration-fetcher.ts';
const FEEDS = 'test/knowledge/integration/integration-fetcher.test.ts';
const LIES = 'test/knowledge/integration/lying-feeds.test.ts';
const SOURCE_ROWS = 'src/knowledge/sources/knowledge-sources.sql.ts';
const CHOSEN = 'test/knowledge/agent-sources.pg.test.ts';

/** Of reading what others wrote: files and feeds. */
export const READING_MUTANTS: readonly Mutant[] = [
  {
    name: 'documents-without-an-end',
    why: 'a PDF of 3 kB that draws itself for years, and nobody can upload anything any more',
    file: 'src/knowledge/formats/extractor.ts',
    find: 'AbortSignal.timeout(timeoutMs)',
    replace: 'AbortSignal.timeout(timeoutMs * 1_000)',
    suite: 'test/knowledge/formats/bombs.test.ts',
    test: 'takes neither memory nor time',
  },
  {
    name: 'one-entry-ends-the-archive',
    why: 'one damaged file in a folder of five hundred, and none of them is found',
    file: 'src/knowledge/formats/read-document.ts',
    find: "told = { header: { kind: 'failed', name, ...refusalOf(error) } };",
    replace: 'throw error;',
    suite: 'test/knowledge/formats/documents.test.ts',
    test: 'what cannot be read is told',
  },
  {
    name: 'scan-is-silent',
    why: 'a scanned contract is uploaded, nothing of it is ever found, and nobody knows why',
    file: 'src/knowledge/formats/read-pdf.ts',
    find: 'if (!/[\\p{L}\\p{N}]/u.test(text)) throw noText();',
    replace: '',
    suite: 'test/knowledge/formats/documents.test.ts',
    test: 'is refused as',
  },
  {
    name: 'folder-is-all-new',
    why: 'whoever changes one file of a folder loses every passage that was cited before',
    file: 'src/knowledge/sources/index-source.ts',
    find: 'const changed = isOne ? documents : documents.filter((document) => !isSame(document));',
    replace: 'const changed = documents;',
    suite: 'test/knowledge/sources/uploaded-formats.pg.test.ts',
    test: 'exactly the changed documents are updated',
  },
  {
    name: 'upload-through-utf-8',
    why: 'a PDF is read when it is uploaded, and is damaged when it is indexed again',
    file: 'src/knowledge/sources/knowledge-documents.sql.ts',
    find: "at += whole.write(base64, at, 'base64');",
    replace: "at += whole.write(Buffer.from(base64, 'base64').toString(), at);",
    suite: 'test/knowledge/sources/uploaded-formats.pg.test.ts',
    test: 'is found as soon as it is answered',
  },
  {
    name: 'feed-signed-over-nothing',
    why: 'who sees one request of ours asks for every page of a feed with its signature',
    file: 'src/knowledge/integration/sign-request.ts',
    find: 'Buffer.from(pathname + search)',
    replace: 'Buffer.from(pathname && search && "")',
    suite: FEEDS,
    test: 'is signed over its path and query, so that nobody changes the cursor',
  },
  {
    name: 'changes-of-a-feed-taken-for-all',
    why: 'the first sync by a cursor removes every document that has not changed',
    file: FEED,
    find: "const unseen = isKept ? 'keep' : 'remove';",
    replace: "const unseen = isKept ? 'remove' : 'remove';",
    suite: FEEDS,
    test: 'a cursor after the last page is kept: the next sync is told of changes alone',
  },
  {
    name: 'feed-goes-on-after-a-failure',
    why: 'a document that could not be read once is never asked for again',
    file: FEED,
    find: "if (document.kind === 'failed') hasFailed = true;",
    replace: '',
    suite: FEEDS,
    test: 'one document that cannot be read keeps the cursor where it was',
  },
  {
    name: 'feed-that-turns-in-a-circle',
    why: 'a feed that answers the same cursor for ever is read for ever',
    file: FEED,
    find: '    asked.add(nextCursor);\n',
    replace: '',
    suite: LIES,
    test: 'the same cursor again',
  },
  {
    name: 'selector-of-a-neighbour',
    why: 'a selector finds the sources of all namespaces that have the same metadata',
    file: SOURCE_ROWS,
    find: "where namespace = $1 and deleted_at is null and spec -> 'metadata' @> $2::jsonb",
    replace: "where $1 <> $$$$ and deleted_at is null and spec -> 'metadata' @> $2::jsonb",
    suite: CHOSEN,
    test: 'finds the sources of the namespace that have all its pairs, as they are now',
  },
];
