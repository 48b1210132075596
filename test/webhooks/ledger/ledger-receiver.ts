import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyBody, verifyStandard } from '../../../src/platform/egress/signature.ts';
import { openAppendOnly } from './ledger-file.ts';

/**
 * The receiver of the ledger, a process of its own: `node ledger-receiver.ts FILE [PORT]`, under
 * orders of its parent. Every request is a line of FILE, written before its answer is sent:
 *
 *   arrival (Unix ms) · path · event id · attempt · SHA-256 of the body · signature right (1, 0)
 *   · mark found in the body or - · answer (a status, `hang`, or `gone` when the sender had left)
 *   · for a signature that is not right, the signed things as base64 of JSON, to be looked at again
 *     with secrets that were not known yet
 */

/** How a path answers; nothing said: 200 at once. */
export type Answering = {
  status?: number;
  delayMs?: number;
  /** Never. */
  hang?: boolean;
  /** The connection is closed behind the answer. */
  close?: boolean;
};
export type PathSettings = { secrets?: readonly string[]; answering?: Answering };
export type Order =
  | ({ do: 'set'; path: string } & PathSettings)
  /** Nobody listens, all connections are cut; and again, on the same port. */
  | { do: 'close' | 'open' }
  /** All that was answered is in the file, and on the disk. */
  | { do: 'sync' };
export type Report = { port: number } | { done: number };
/** A body and its two signatures (contract/deliveries.md#headers). */
export type Signed = {
  id: string;
  body: Buffer;
  parley: string;
  standard: string;
  timestampSec: number;
};

/** What a producer hides in the data of an event, to know it again whatever the answer was. */
const MARK = /ledger-mark:([\w-]+)/;

if (import.meta.main) {
  const [file = '', port = '0'] = process.argv.slice(2);
  receive(file, Number(port));
}

function receive(file: string, wantedPort: number): void {
  const records = openAppendOnly(file);
  const settings = new Map<string, PathSettings>();
  let port = wantedPort;
  let lines: (string | number)[][] = [];
  let answers: (() => void)[] = [];

  /** Requests that came in the same turn share a write. */
  function write(): void {
    const [written, answer] = [lines, answers];
    [lines, answers] = [[], []];
    if (written.length > 0) records.append(written);
    for (const send of answer) send();
  }
  function record(fields: (string | number)[], send: () => void): void {
    if (lines.push(fields) === 1) setImmediate(write);
    answers.push(send);
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { secrets = [], answering = {} } = settings.get(request.url ?? '') ?? {};
      const seen = look(request, Buffer.concat(chunks), secrets);
      const fields = (answer: string | number) => [...seen.fields, answer, ...seen.unproven];
      const { status = 200, delayMs, hang = false, close = false } = answering;
      if (hang) return record(fields('hang'), () => undefined);
      const answer = (): void => {
        if (response.destroyed) record(fields('gone'), () => undefined);
        else record(fields(status), () => send(response, status, close));
      };
      return delayMs === undefined ? answer() : void setTimeout(answer, delayMs);
    });
  });
  server.keepAliveTimeout = 60_000;

  const listen = (): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        ({ port } = server.address() as AddressInfo);
        resolve();
      });
    });
  const orders: { [D in Order['do']]: (order: Extract<Order, { do: D }>) => unknown } = {
    set: ({ path, secrets, answering }) =>
      settings.set(path, {
        ...settings.get(path),
        ...(secrets && { secrets }),
        ...(answering && { answering }),
      }),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    open: listen,
    sync: () => {
      write();
      records.sync();
    },
  };
  process.on('message', ({ number, order }: { number: number; order: Order }) => {
    // The table's types pair each order with its own function; an index cannot say so.
    const carryOut = orders[order.do] as (order: Order) => unknown;
    void Promise.resolve(carryOut(order)).then(() => report({ done: number }));
  });
  process.on('disconnect', () => {
    write();
    records.close();
    process.exit(0);
  });
  void listen().then(() => report({ port }));
}

function report(what: Report): void {
  process.send?.(what);
}

function send(response: ServerResponse, status: number, close: boolean): void {
  response.writeHead(status, close ? { connection: 'close' } : {}).end();
}

function look({ url = '', headers }: IncomingMessage, body: Buffer, secrets: readonly string[]) {
  const atMs = performance.timeOrigin + performance.now();
  const header = (name: string): string => String(headers[name] ?? '-');
  const signed: Signed = {
    id: header('parley-event-id'),
    body,
    parley: header('parley-signature'),
    standard: header('webhook-signature'),
    timestampSec: Number(header('webhook-timestamp')),
  };
  const right = isSignedRight(signed, secrets);
  return {
    fields: [
      atMs.toFixed(3),
      url,
      signed.id,
      header('parley-delivery-attempt'),
      createHash('sha256').update(body).digest('base64url'),
      right ? 1 : 0,
      MARK.exec(body.toString('latin1'))?.[1] ?? '-',
    ],
    unproven: right ? [] : [pack(signed)],
  };
}

function pack(signed: Signed): string {
  const text = JSON.stringify({ ...signed, body: signed.body.toString('base64') });
  return Buffer.from(text).toString('base64');
}

/** What a line of the file holds of a signature that was not right. */
export function unpack(field: string): Signed {
  // Written by `pack`.
  const packed = JSON.parse(Buffer.from(field, 'base64').toString()) as Signed & { body: string };
  return { ...packed, body: Buffer.from(packed.body, 'base64') };
}

/** Both signatures, each by one of the secrets. */
export function isSignedRight(signed: Signed, secrets: readonly string[]): boolean {
  const { body, parley, standard } = signed;
  return (
    secrets.some((secret) => verifyBody(secret, body, parley)) &&
    secrets.some((secret) => verifyStandard(secret, signed, standard))
  );
}
