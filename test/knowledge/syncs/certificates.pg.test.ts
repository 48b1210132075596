import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openFetchers } from '../../../src/roles/operator/knowledge-work.ts';
import {
  listen,
  makeCertificates,
  type Certificates,
  type Receiver,
} from '../../platform/egress/servers.ts';
import { startApi, type Api, type Call, PATIENT_MS } from '../../roles/api/api-setup.ts';
import { html } from '../website/website.ts';
import { newNamespace } from '../own-namespace.ts';
import { OFTEN } from './site.ts';
import { countStaged } from './sources.ts';

/** Sites and feeds whose certificate was good once: real TLS, the fetchers of the operator, real syncs. */

const SOURCES = '/v1/knowledge/sources';
let certificates: Certificates;
let stranger: Certificates;
let api: Api;
let call: Call;
let fetching: ReturnType<typeof openFetchers>;
let server: Server;

beforeAll(async () => {
  certificates = makeCertificates();
  stranger = makeCertificates();
  // An API of its own, because its operator trusts these certificates.
  api = await startApi({ operator: false, projectionWaitMs: PATIENT_MS });
  const { guard, log, store, metrics } = api.engine;
  fetching = openFetchers({ guard, log, store, metrics, version: 'test', tlsCa: certificates.ca });
  await api.engine.startOperator({ fetchers: fetching.fetchers, syncTimes: OFTEN });
});
afterAll(async () => {
  await api?.stop();
  await fetching?.stop();
});
beforeEach(async () => {
  ({ call } = await newNamespace(api));
});
afterEach(() => server?.receiver.stop());

type Server = {
  receiver: Receiver;
  url: string;
  /** From now on, also for who was connected. */
  present: (cert: string, key?: string) => void;
  /** Requests that came over TLS, and without it. */
  asked: { secure: string[]; plain: string[] };
};

/** Speaks TLS and, on the same port, plain HTTP: whoever falls back to that is answered. */
async function serve(answer: RequestListener): Promise<Server> {
  const asked: Server['asked'] = { secure: [], plain: [] };
  const noting = (list: string[]): RequestListener => {
    return (request, response) => {
      list.push(String(request.url));
      answer(request, response);
    };
  };
  const key = certificates.goodKey;
  const secure = createSecureServer({ cert: certificates.good, key }, noting(asked.secure));
  const plain = createServer(noting(asked.plain));
  const HANDSHAKE = 0x16;
  const receiver = await listen((socket: Socket) => {
    socket.once('data', (piece) => {
      socket.pause();
      socket.unshift(piece);
      (piece[0] === HANDSHAKE ? secure : plain).emit('connection', socket);
      process.nextTick(() => socket.resume());
    });
  });
  secure.on('tlsClientError', (_, socket) => socket.destroy());
  return {
    receiver,
    url: `https://127.0.0.1:${receiver.port}`,
    present: (cert, own = key) => {
      secure.setSecureContext({ cert, key: own });
      for (const socket of receiver.sockets) socket.destroy();
    },
    asked,
  };
}

const kinds = {
  website: {
    answer: ((request, response) => {
      const page = request.url === '/' ? html('We open at nine.', '/b') : html('Bananas.');
      const isThere = request.url === '/' || request.url === '/b';
      response.writeHead(isThere ? 200 : 404, { 'content-type': 'text/html' });
      response.end(isThere ? page : '');
    }) satisfies RequestListener,
    declared: (url: string) => ({ type: 'website', website: { url, delay_ms: 0 } }),
  },
  integration: {
    answer: ((_, response) => {
      const documents = [
        { id: 'a', text: 'We open at nine.' },
        { id: 'b', text: 'Bananas.' },
      ];
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ documents, next_cursor: null, has_more: false }));
    }) satisfies RequestListener,
    declared: (url: string) => ({ type: 'integration', integration: { url: `${url}/feed` } }),
  },
};

const settled = (id: string) =>
  api.engine.eventually(async () => {
    const { body } = await call('GET', `${SOURCES}/${id}`);
    return body.sync === null && body.status !== 'pending' && body;
  });
async function sync(id: string) {
  expect((await call('POST', `${SOURCES}/${id}/sync`)).status).toBe(202);
  return settled(id);
}

describe.each(Object.entries(kinds))('%s', (_, { answer, declared }) => {
  test('a certificate that is not to be trusted fails the sync with its reason, never by plain HTTP', async () => {
    server = await serve(answer);
    const { body } = await call('POST', SOURCES, { json: declared(server.url) });
    expect(await settled(body.id)).toMatchObject({ status: 'ready', documents: 2 });
    const good = server.asked.secure.length;
    const { expired, selfSigned, elsewhere } = certificates;
    const cases: [cert: string, key: string | undefined, words: string][] = [
      [expired, undefined, 'certificate has expired'],
      [selfSigned, undefined, 'certificate is self-signed'],
      [elsewhere, undefined, 'certificate is for a different host name'],
      [stranger.good, stranger.goodKey, 'certificate comes from an unknown authority'],
    ];
    for (const [cert, key, words] of cases) {
      server.present(cert, key);
      const source = await sync(body.id);
      expect(source).toMatchObject({ status: 'error', ready: true, documents: 2 });
      expect(source.status_message).toContain(words);
      const { body: all } = await call('GET', `${SOURCES}/${body.id}/syncs`);
      expect(all.data[0]).toMatchObject({ status: 'failed', reason: 'TlsFailed', result: null });
      expect(all.data[0].error).toContain(words);
      const found = await call('GET', '/v1/knowledge/search?q=open%20at%20nine');
      expect(found.body.data).toMatchObject([{ text: 'We open at nine.' }]);
      expect(await countStaged(api.engine.pool)).toBe(0);
    }
    expect(server.asked).toEqual({ secure: server.asked.secure.slice(0, good), plain: [] });
    server.present(certificates.good);
    expect(await sync(body.id)).toMatchObject({ status: 'ready', documents: 2 });
  });

  test('that speaks plain HTTP where TLS is declared is not read', async () => {
    const only = await listen((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    });
    const url = `https://127.0.0.1:${only.port}`;
    const { body } = await call('POST', SOURCES, { json: declared(url) });
    expect(await settled(body.id)).toMatchObject({ status: 'error', ready: false, documents: 0 });
    const { body: all } = await call('GET', `${SOURCES}/${body.id}/syncs`);
    expect(all.data[0]).toMatchObject({ status: 'failed', reason: 'TlsFailed' });
    await only.stop();
  });
});
