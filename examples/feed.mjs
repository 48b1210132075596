// A feed for knowledge sources of type integration (docs/integrations.md). It serves the Markdown files in a folder as
// documents, in pages. It accepts only signed requests. After the first sync it returns only changed documents.
//
//   SECRET=whsec_… node examples/feed.mjs FOLDER        listens on http://localhost:4790
//
// Needs no packages. Without FOLDER, it serves two built-in articles. If TOKEN is set, requests also need that bearer
// token.

import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const SECONDS_MAX = 300;

const ARTICLES = {
  returns: {
    title: 'Returns',
    markdown: '# Returns\n\nSend it back within 30 days. We pay the parcel.',
  },
  warranty: { title: 'Warranty', markdown: '# Warranty\n\nTents have a warranty of five years.' },
};

/**
 * Creates the list of documents in the order of their changes. Each change gets the next number. A cursor is
 * `run.after.until`: the ID of this run of the program, the number of the last change that was sent, and the number at
 * which the current sync ends. Without `until`, a document that changes during a sync would be sent twice in that sync.
 */
export function createDocuments() {
  const run = randomUUID().slice(0, 8);
  const changes = new Map();
  let last = 0;
  const note = (id, document) => {
    changes.delete(id); // A Map keeps insertion order, so this moves the document to the end.
    changes.set(id, { number: (last += 1), document: { id, ...document } });
  };
  return {
    get: (id) => changes.get(id)?.document,
    ids: () => [...changes.keys()],
    set: (id, document) => note(id, { ...document, updated_at: Math.floor(Date.now() / 1000) }),
    remove: (id) => note(id, { deleted: true }),
    /** Returns a page of changes, or undefined if the cursor is invalid or from another run. */
    page: (cursor, size) => {
      const [ofRun = run, after = '0', until = String(last)] = cursor?.split('.') ?? [];
      if (ofRun !== run || !/^\d+$/.test(after) || !/^\d+$/.test(until)) return undefined;
      const isFirst = Number(after) === 0; // A first sync does not need deleted documents.
      const all = [...changes.values()].filter(
        ({ number, document }) =>
          number > Number(after) && number <= Number(until) && !(isFirst && document.deleted),
      );
      const page = all.slice(0, size);
      const has_more = all.length > size;
      const next_cursor = has_more ? `${run}.${page.at(-1).number}.${until}` : `${run}.${until}`;
      return { documents: page.map(({ document }) => document), next_cursor, has_more };
    },
  };
}

/** Creates the feed as an HTTP server that does not listen yet. Calls `look` before the first page of each sync. */
export function createFeed({
  documents,
  secret = '',
  token = '',
  pageSize = 100,
  look = () => undefined,
  log = () => undefined,
}) {
  return createServer((request, response) => {
    const answer = (status, body) => {
      log(`${request.method} ${request.url} ${status}`);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (token !== '' && !isEqual(request.headers.authorization, `Bearer ${token}`)) {
      return answer(401, { error: 'the token is missing or wrong' });
    }
    if (secret !== '' && !isGenuine(secret, request)) {
      return answer(401, { error: 'the signature is missing, invalid or too old' });
    }
    const { pathname, searchParams } = new URL(request.url, 'http://feed');
    if (request.method !== 'GET' || pathname !== '/feed') {
      return answer(404, { error: `${pathname} does not exist` });
    }
    const cursor = searchParams.get('cursor') ?? undefined;
    if (cursor?.split('.').length !== 3) look();
    const page = documents.page(cursor, pageSize);
    // After a 410, Parley starts again without a cursor.
    return page ? answer(200, page) : answer(410, { error: 'the cursor is no longer valid' });
  });
}

/**
 * Checks a signature of Standard Webhooks: the base64 HMAC-SHA256 of `id.time.target`, keyed with the bytes after
 * `whsec_`. A GET request has no body, so the signature covers the request target instead. It is therefore not valid
 * for other targets.
 */
function isGenuine(secret, { url, headers }) {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': given } = headers;
  if (Math.abs(Date.now() / 1000 - Number(time)) > SECONDS_MAX) return false;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const digest = createHmac('sha256', key).update(`${id}.${time}.${url}`).digest('base64');
  return isEqual(given, `v1,${digest}`);
}

function isEqual(given = '', expected) {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Updates the documents from the files of a folder that have changed since the last call. */
export function readFolder(folder, documents) {
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.md'));
  for (const id of documents.ids()) {
    if (!files.includes(id) && !documents.get(id).deleted) documents.remove(id);
  }
  for (const id of files) {
    const file = path.join(folder, id);
    const markdown = readFileSync(file, 'utf8');
    const known = documents.get(id);
    if (known?.markdown === markdown) continue;
    documents.set(id, {
      title: path.basename(id, '.md'),
      markdown,
      url: `https://docs.example.com/${encodeURI(id)}`,
    });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2];
  if (folder !== undefined && !statSync(folder).isDirectory())
    throw new Error(`${folder} is not a folder`);
  const secret = process.env.SECRET ?? '';
  if (secret === '') console.warn('SECRET is not set, so anybody who finds this feed can read it');
  const documents = createDocuments();
  for (const [id, article] of Object.entries(ARTICLES)) {
    if (folder === undefined) documents.set(id, article);
  }
  const look = folder === undefined ? undefined : () => readFolder(folder, documents);
  const port = Number(process.env.PORT ?? 4790);
  const host = process.env.HOST ?? 'localhost'; // In a pod: 0.0.0.0
  createFeed({
    documents,
    secret,
    token: process.env.TOKEN,
    look,
    log: (line) => console.log(line),
  }).listen(port, host, () => console.log(`the feed is at http://${host}:${port}/feed`));
}
