import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PAGE_BYTES, readStream } from '../../src/events/event-stream.sql.ts';
import { fromUuid, newUuid } from '../../src/ids.ts';
import { holdTime } from '../clock.ts';
import { until } from '../until.ts';
import { startApi, type Api } from '../roles/api/api-setup.ts';

/** Who does not read is cut, costs no memory until then, and goes on where it was. */
let api: Api;
let namespaces = 0;

const STALLED_MS = 1_500;
const EVENTS = 250;
/** More than one page, by bytes. */
const PAGED = Math.ceil((3 * PAGE_BYTES) / 60_000);
const FILLER = 60_000;

beforeAll(async () => {
  api = await startApi({ stalledMs: STALLED_MS });
});

afterAll(() => api.stop());

/** By default as many bytes as no socket buffers: 15 MB. */
async function fill(events = EVENTS): Promise<{ namespace: string; key: string; begin: string }> {
  const namespace = `slow-${(namespaces += 1)}`;
  const begin = newUuid(Date.now());
  const insert = `insert into events (id, namespace, type, body) `;
  await api.engine.pool.query(`${insert} values ($1, $2, 'agent.published', '{}')`, [
    begin,
    namespace,
  ]);
  await api.engine.pool.query(
    `${insert} select parley_uuid_v7(), $1, 'agent.published',
            convert_to('{"filler":"' || repeat('x', $2) || '"}', 'UTF8')
       from generate_series(1, $3)`,
    [namespace, FILLER, events],
  );
  return { namespace, key: await api.newKey(namespace), begin };
}

/** A socket that asks and does not read. */
async function ask(path: string, headers: Record<string, string>): Promise<Socket> {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const lines = Object.entries({ host: hostname, ...headers });
  socket.pause();
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`GET ${path} HTTP/1.1\r\n${head}\r\n`);
  return socket;
}

/** All that comes until the other side ends. */
async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined); // A cut may come as a reset.
  socket.resume();
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

const open = async (): Promise<number> => {
  const page = await api.engine.metrics.render();
  return Number(/^parley_in_flight\{kind="event_streams"\} (\d+)$/m.exec(page)?.[1]);
};

const idsIn = (text: string): string[] =>
  // Of events that came whole: what was cut in the middle comes again.
  [...text.matchAll(/^id: (\S+)\r?\ndata: \{.*\}\r?\n\r?\n/gm)].map(([, id]) => id!);

test('a page, which a reader that stands still holds, has so many bytes, or one event', async () => {
  const { namespace } = await fill(PAGED);
  const input = { namespace, filter: { withTests: false }, limit: 200, sinceMs: Date.now() };
  let position = { xid: 0n, id: '00000000-0000-0000-0000-000000000000' };
  let count = 0;
  // A stream goes as far as all older transactions have ended, those of other databases too.
  await until('the events', async () => {
    const { events } = await readStream(api.engine.pool, { ...input, after: position });
    return events.length > 0;
  });
  for (let hasMore = true; hasMore && count <= PAGED;) {
    const page = await readStream(api.engine.pool, { ...input, after: position });
    const bytes = page.events.reduce((sum, { body }) => sum + body.length, 0);
    expect(bytes).toBeLessThanOrEqual(PAGE_BYTES);
    count += page.events.length;
    ({ position, hasMore } = page);
  }
  expect(count).toBe(PAGED + 1);
});

test('one that stops reading is cut, and Last-Event-ID brings the rest, each once', async () => {
  const { namespace, key, begin } = await fill();
  const headers = (last: string) => ({ authorization: `Bearer ${key}`, 'last-event-id': last });
  const from = fromUuid('evt', begin);
  const time = holdTime();
  const socket = await ask('/v1/events/stream', headers(from));
  await time.armed(STALLED_MS);
  expect(await open()).toBe(1);
  await until('the cut', async () => {
    await time.advance(STALLED_MS);
    return (await open()) === 0;
  });
  const first = idsIn(await readAll(socket));
  expect(first.length).toBeLessThan(EVENTS);

  const gone = new AbortController();
  const response = await fetch(`${api.url}/v1/events/stream`, {
    headers: headers(first.at(-1) ?? from),
    signal: gone.signal,
  });
  const rest: string[] = [];
  let text = '';
  for await (const chunk of response.body!) {
    text += Buffer.from(chunk).toString();
    const end = text.lastIndexOf('\n\n') + 2;
    rest.push(...idsIn(text.slice(0, end)));
    text = text.slice(end);
    if (first.length + rest.length >= EVENTS) break;
  }
  gone.abort();
  const { rows } = await api.engine.pool.query<{ id: string }>(
    'select id from events where namespace = $1 and id <> $2 order by xid, id',
    [namespace, begin],
  );
  expect([...first, ...rest]).toEqual(rows.map(({ id }) => fromUuid('evt', id)));
});
