import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { toUuid } from '../../src/ids.ts';
import { newEndpointSecret } from '../../src/platform/egress/signature.ts';
import { createCall, startApi, type Api, type Reply, PATIENT_MS } from '../roles/api/api-setup.ts';
import { startReceiver, type Received, type Receiver } from '../webhooks/receiver.ts';
import { docxOf, zipOf } from './formats/making.ts';
import { createDocuments, createFeed } from './integration/example.ts';
import { listening, stopFeeds } from './integration/feed-harness.ts';
import { OFTEN } from './syncs/site.ts';
import { closeAll, html, servePages } from './website/website.ts';

/**
 * A website, a folder of files and a feed, each the whole way: read, answered from with a citation, changed,
 * and read again with exactly the changed documents updated. `npm run test:nightly -- peers` does it with what others made.
 */

const SOURCES = '/v1/knowledge/sources';
let api: Api;
let receiver: Receiver;
let secret: string;
beforeAll(async () => {
  // With the fetchers that every operator has.
  api = await startApi({ operator: false, projectionWaitMs: PATIENT_MS, delivery: true });
  await api.engine.startOperator({ syncTimes: OFTEN });
  receiver = await startReceiver();
  const json = { url: receiver.url, event_types: ['knowledge.source.synced'] };
  ({ secret } = (await api.call('POST', '/v1/webhooks', { json })).body);
});
afterAll(async () => {
  await api?.stop();
  await receiver?.close();
  await closeAll();
  await stopFeeds();
});

/** What the API answers. */
type Body = Reply['body'];

/** A source that was read once. */
type Opened = {
  id: string;
  documents: number;
  /** Adds one document, changes one, removes one. */
  change: () => void;
  changed: { added: string; updated: string; removed: string };
  /** Has what is there now read. */
  read: () => Promise<unknown>;
  asks: Ask[];
};

/** `cited`: what a passage says of where it is from. `after`: where it is another one than before. */
type Ask = { question: string; cited: object; before: string; after?: string };

async function post(route: string, json?: object): Promise<Body> {
  const { status, body } = await api.call('POST', route, { ...(json && { json }) });
  expect({ status, body }).toMatchObject({ status: status === 202 ? 202 : 201 });
  return body;
}

const settled = (id: string): Promise<Body> =>
  api.engine.eventually(async () => {
    const { body } = await api.call('GET', `${SOURCES}/${id}`);
    return body.sync === null && body.last_sync !== null && body;
  });

async function openWebsite(): Promise<Opened> {
  const returns = (days: string): string =>
    `<!doctype html><html lang="en"><main><h1>Kettles</h1><h2>Returns</h2>
     <p>A kettle can be returned within ${days} days.</p></main></html>`;
  const pages: Record<string, string> = {
    '/': html('Welcome to us.', '/returns', '/shipping', '/hours', '/warranty'),
    '/returns': returns('thirty'),
    '/shipping': html('Parcels are shipped on Mondays.'),
    '/hours': html('The showroom is open until noon.'),
  };
  const { url } = await servePages(pages);
  const { id } = await post(SOURCES, { type: 'website', website: { url, delay_ms: 0 } });
  return {
    id,
    documents: 4,
    change: () => {
      pages['/returns'] = returns('forty-five');
      pages['/warranty'] = html('Each kettle has a warranty of five years.');
      delete pages['/shipping'];
    },
    changed: { added: '/warranty', updated: '/returns', removed: '/shipping' },
    read: () => post(`${SOURCES}/${id}/sync`),
    asks: [
      {
        question: 'Within how many days can a kettle be returned?',
        cited: { path: '/returns', url: `${url}/returns`, heading: 'Kettles > Returns' },
        before: 'within thirty days',
        after: 'within forty-five days',
      },
      {
        question: 'Until when is the showroom open?',
        cited: { path: '/hours', url: `${url}/hours` },
        before: 'until noon',
      },
    ],
  };
}

async function openFiles(): Promise<Opened> {
  const handbook = path.join(import.meta.dirname, 'formats/originals/handbook.pdf');
  const word = (text: string): Buffer => docxOf(`<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`);
  const files = new Map<string, Buffer>([
    ['handbook.pdf', readFileSync(handbook)],
    ['boats/rowing.docx', word('A rowing boat is hired for nine euros an hour.')],
    ['boats/raft.docx', word('The raft takes six people.')],
  ]);
  const { id } = await post(SOURCES, { type: 'file' });
  const read = async (): Promise<void> => {
    const body = zipOf([...files].map(([name, data]) => ({ name, data })));
    const route = `${SOURCES}/${id}/content?file_name=all.zip`;
    const headers = { 'content-type': 'application/zip' };
    expect(await api.call('PUT', route, { body, headers })).toMatchObject({ status: 202 });
  };
  await read();
  return {
    id,
    documents: 3,
    change: () => {
      files.set('boats/rowing.docx', word('A rowing boat is hired for eleven euros an hour.'));
      files.set('towels.docx', word('A towel is changed on the third day.'));
      files.delete('boats/raft.docx');
    },
    changed: { added: 'towels.docx', updated: 'boats/rowing.docx', removed: 'boats/raft.docx' },
    read,
    asks: [
      {
        question: 'For how many euros an hour is a rowing boat hired?',
        cited: { path: 'boats/rowing.docx', url: null },
        before: 'nine euros',
        after: 'eleven euros',
      },
      {
        question: 'Where does the defibrillator hang?',
        cited: {
          path: 'handbook.pdf',
          url: null,
          document_title: 'Guesthouse handbook',
          heading: 'Guesthouse handbook > Emergencies',
        },
        before: 'beside the lift on the first floor',
      },
    ],
  };
}

async function openFeed(): Promise<Opened> {
  const signing = newEndpointSecret();
  await api.engine.store.apply(
    {
      kind: 'Secret',
      namespace: 'default',
      name: 'help-feed',
      labels: { 'parley.dev/allow': 'true' },
      spec: { data: { signing } },
    },
    { fieldManager: 'kubectl' },
  );
  const documents = createDocuments();
  const url = 'https://help.example.com/tents';
  documents.set('tents', { markdown: '# Tents\n\nTents are waterproof for five years.', url });
  documents.set('stoves', { text: 'Stoves burn alcohol alone.' });
  documents.set('boots', { html: '<h1>Boots</h1><p>Boots are waxed twice a year.</p>' });
  const feed = await listening(createFeed({ documents, secret: signing, pageSize: 2 }));
  const signing_secret_ref = { name: 'help-feed', key: 'signing' };
  const integration = { url: `${feed}/feed`, signing_secret_ref };
  const { id } = await post(SOURCES, { type: 'integration', integration });
  return {
    id,
    documents: 3,
    change: () => {
      documents.set('tents', { markdown: '# Tents\n\nTents are waterproof for seven years.', url });
      documents.set('lamps', { text: 'Lamps are charged by the sun.' });
      documents.remove('boots');
    },
    changed: { added: 'lamps', updated: 'tents', removed: 'boots' },
    read: () => post(`${SOURCES}/${id}/sync`),
    asks: [
      {
        question: 'For how many years are tents waterproof?',
        cited: { path: 'tents', url, heading: 'Tents' },
        before: 'five years',
        after: 'seven years',
      },
      {
        question: 'What do stoves burn?',
        cited: { path: 'stoves', url: null },
        before: 'alcohol',
      },
    ],
  };
}

/** What a conversation says, and the passage that its transcript names. */
async function answerTo(agentId: string, question: string): Promise<{ text: string; cited: Body }> {
  const { id } = await post('/v1/conversations', { agent_id: agentId });
  await api.call('POST', `/v1/conversations/${id}/messages`, { json: { text: question } });
  const { body } = await api.call('GET', `/v1/conversations/${id}/transcript`);
  const { text, retrieval } = body.turns.at(-1);
  const [first] = retrieval.chunks;
  return { text, cited: (await api.call('GET', `/v1/knowledge/chunks/${first?.chunk_id}`)).body };
}

/** Which version of the rows of each document and its passages there is, by its path. */
async function rowsOf(id: string): Promise<Map<string, string>> {
  const { rows } = await api.engine.pool.query<{ path: string; row: string }>(
    `select d.path, concat_ws(' ', d.id, d.xmin, string_agg(c.id || ' ' || c.xmin, ',' order by c.id)) as row
       from knowledge_documents d join knowledge_chunks c on c.document_id = d.id
      where d.source_id = $1 group by d.path, d.id, d.xmin`,
    [toUuid('ks', id)],
  );
  return new Map(rows.map(({ path: name, row }) => [name, row]));
}

type Counts = { documents: number; added: number; updated: number; removed: number };

/** The source and the event that is told of it, whose signature holds. */
async function expectSynced(id: string, counts: Counts): Promise<void> {
  expect(await settled(id)).toMatchObject({ ready: true, last_sync: { ...counts, failed: 0 } });
  const isIt = ({ json: { data } }: Received): boolean =>
    data['source_id'] === id && data['added'] === counts.added;
  const received = await receiver.until((all) => all.some(isIt));
  const one = received.find(isIt)!;
  new Webhook(secret).verify(one.body.toString(), one.headers as Record<string, string>);
  expect(one.json.data).toMatchObject({ source_id: id, status: 'ready', ...counts, failed: 0 });
  received.splice(0);
}

test.each([
  ['a website', openWebsite],
  ['a folder of files', openFiles],
  ['a feed', openFeed],
])('%s is read, cited, changed, and read again with exactly what changed', async (_, open) => {
  const { id, documents, change, changed, read, asks } = await open();
  await expectSynced(id, { documents, added: documents, updated: 0, removed: 0 });
  const knowledge = { source_ids: [id] };
  const agent = await post('/v1/agents', { prompt: 'Answer.', knowledge });
  const cited = new Map<string, string>();
  for (const { question, cited: from, before } of asks) {
    const answer = await answerTo(agent.id, question);
    expect(answer.text).toContain(before);
    expect(answer.cited).toMatchObject({ ...from, text: expect.stringContaining(before) });
    cited.set(question, answer.cited.id);
  }
  const other = createCall(api.url, await api.newKey('other'));
  const nothing = await other(
    'GET',
    `/v1/knowledge/search?q=${encodeURIComponent(asks[0]!.question)}`,
  );
  expect(nothing.body.data).toEqual([]);

  const rows = await rowsOf(id);
  change();
  await read();
  await expectSynced(id, { documents, added: 1, updated: 1, removed: 1 });
  const after = await rowsOf(id);
  const { added, updated, removed } = changed;
  const isOther = (name: string): boolean => after.get(name) !== rows.get(name);
  const names = new Set([...rows.keys(), ...after.keys()]);
  expect([...names].filter(isOther).toSorted()).toEqual([added, updated, removed].toSorted());
  // The same document, of other passages.
  expect(after.get(updated)?.slice(0, 36)).toBe(rows.get(updated)?.slice(0, 36));
  for (const { question, cited: from, before, after: now = before } of asks) {
    const answer = await answerTo(agent.id, question);
    expect(answer.text).toContain(now);
    expect(answer.cited).toMatchObject({ ...from, text: expect.stringContaining(now) });
    expect(answer.cited.id === cited.get(question)).toBe(now === before);
  }

  await read();
  expect((await settled(id)).last_sync).toMatchObject({ added: 0, updated: 0, removed: 0 });
  expect(await rowsOf(id)).toEqual(after);
});
