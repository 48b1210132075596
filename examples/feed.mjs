// A feed that knowledge sources of type integration read (docs/integrations.md): the Markdown files of a
// folder as documents, signed requests only, in pages, and after the first time only what has changed.
//
//   SECRET=whsec_… node examples/feed.mjs FOLDER        listens on http://localhost:4790
//
// No packages needed. Without FOLDER it serves two articles of its own. TOKEN: asks for that bearer token too.

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
 * What there is, and in which order it has changed: each change has the next number. The cursor is
 * `run.after.until`: of this run of the program, told so far, and where the sync that asks shall end.
 * Without `until` a document that changes while a sync reads would be told twice in it.
 */
export function createDocuments() {
  const run = randomUUID().slice(0, 8);
  const changes = new Map();
  let last = 0;
  const note = (id, document) => {
    changes.delete(id); // A Map keeps its order: so it goes to the end.
    changes.set(id, { number: (last += 1), document: { id, ...document } });
  };
  return {
    get: (id) => changes.get(id)?.document,
    ids: () => [...changes.keys()],
    set: (id, document) => note(id, { ...document, updated_at: Math.floor(Date.now() / 1000) }),
    remove: (id) => note(id, { deleted: true }),
    /** Undefined: a cursor of another run, or none of ours. */
    page: (cursor, size) => {
      const [ofRun = run, after = '0', until = String(last)] = cursor?.split('.') ?? [];
      if (ofRun !== run || !/^\d+$/.test(after) || !/^\d+$/.test(until)) return undefined;
      const isFirst = Number(after) === 0; // Whoever knows nothing need not be told what is gone.
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

/** The feed as an HTTP server that does not listen yet. `look`: called before each first page. */
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
      return answer(401, { error: 'the signature is missing, wrong or old' });
    }
    const { pathname, searchParams } = new URL(request.url, 'http://feed');
    if (request.method !== 'GET' || pathname !== '/feed') {
      return answer(404, { error: `there is nothing at ${pathname}` });
    }
    const cursor = searchParams.get('cursor') ?? undefined;
    if (cursor?.split('.').length !== 3) look();
    const page = documents.page(cursor, pageSize);
    // 410: whoever asks begins at the beginning.
    return page ? answer(200, page) : answer(410, { error: 'the cursor is of no use any more' });
  });
}

/**
 * Standard Webhooks: base64 HMAC-SHA256 of `id.time.target`, keyed with the bytes after whsec_. A GET has
 * no body; in its place stands what was asked for, so that nobody can ask for something else with it.
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

/** Takes over what has changed in a folder since it was last looked at. */
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
    throw new Error(`${folder} is no folder`);
  const secret = process.env.SECRET ?? '';
  if (secret === '') console.warn('SECRET is not set: everybody who finds this feed can read it');
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
