import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { StartupError } from '../../../src/errors.ts';
import { assertMigrated } from '../../../src/platform/postgres/migrate.ts';
import { createClient } from '../../../src/platform/postgres/pool.ts';
import { endClient } from '../../../src/platform/postgres/silent-connections.ts';
import { makeCertificates, type Certificates } from '../egress/servers.ts';

/** Connections to servers with TLS. No system trusts the authority of their certificates. */

const message = (type: string, body: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
};

/** Accepts every client and records whether its session was encrypted. `cert` is undefined for a server without TLS. */
async function startServer(cert: string | undefined, key: string) {
  const encrypted: boolean[] = [];
  const letIn = (socket: net.Socket): void => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      encrypted.push(socket instanceof tls.TLSSocket);
      const authenticated = message('R', Buffer.alloc(4));
      socket.write(Buffer.concat([authenticated, message('Z', Buffer.from('I'))]));
    });
  };
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (first) => {
      const isQuestion = first.length === 8;
      if (!isQuestion) {
        socket.unshift(first);
        return letIn(socket);
      }
      socket.write(cert === undefined ? 'N' : 'S');
      if (cert !== undefined) letIn(new tls.TLSSocket(socket, { isServer: true, cert, key }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  return {
    encrypted,
    url: `postgresql://u:p@127.0.0.1:${port}/d`,
    stop: () => server.close(),
  };
}

let certificates: Certificates;
let folder: string;
let authority: string;
beforeAll(() => {
  certificates = makeCertificates();
  folder = mkdtempSync(path.join(tmpdir(), 'parley-database-tls-'));
  authority = path.join(folder, 'root.crt');
  writeFileSync(authority, certificates.ca);
});
afterAll(() => rmSync(folder, { recursive: true }));

type Shown = 'good' | 'elsewhere' | 'selfSigned' | 'none';

async function connect(shown: Shown, query: string): Promise<string> {
  const cert = shown === 'none' ? undefined : certificates[shown];
  const server = await startServer(cert, certificates.goodKey);
  const client = createClient(`${server.url}?${query.replace('FILE', authority)}`);
  client.on('error', () => undefined);
  try {
    await client.connect();
    await endClient(client);
    return server.encrypted[0] ? 'encrypted' : 'plain';
  } catch {
    return 'refused';
  } finally {
    server.stop();
  }
}

test.each<[Shown, string, string]>([
  ['good', 'sslmode=disable', 'plain'],
  ['good', 'sslmode=prefer', 'encrypted'],
  ['good', 'sslmode=require', 'encrypted'],
  ['selfSigned', 'sslmode=require', 'encrypted'],
  ['elsewhere', 'sslmode=require', 'encrypted'],
  ['none', 'sslmode=require', 'refused'],
  ['elsewhere', 'sslmode=require&sslrootcert=FILE', 'encrypted'],
  ['selfSigned', 'sslmode=require&sslrootcert=FILE', 'refused'],
  ['elsewhere', 'sslmode=verify-ca&sslrootcert=FILE', 'encrypted'],
  ['selfSigned', 'sslmode=verify-ca&sslrootcert=FILE', 'refused'],
  ['good', 'sslmode=verify-full', 'refused'],
  ['good', 'sslmode=verify-full&sslrootcert=FILE', 'encrypted'],
  ['elsewhere', 'sslmode=verify-full&sslrootcert=FILE', 'refused'],
])('a server with certificate "%s" and %s: %s', async (shown, query, wanted) => {
  expect(await connect(shown, query)).toBe(wanted);
});

test.each<[Shown, string, RegExp]>([
  ['good', 'verify-full', /^DATABASE_URL: cannot connect to .*; set sslrootcert to the file/],
  [
    'none',
    'require',
    /^DATABASE_URL: cannot connect to .*; the server does not support TLS: use sslmode=disable$/,
  ],
])('a failed start says in one line what to change: %s, %s', async (shown, mode, line) => {
  const cert = shown === 'none' ? undefined : certificates.good;
  const server = await startServer(cert, certificates.goodKey);
  const failed = await assertMigrated(`${server.url}?sslmode=${mode}`).catch(
    (error: unknown) => error,
  );
  server.stop();
  expect(failed).toBeInstanceOf(StartupError);
  expect(String(failed).replace('StartupError: ', '')).toMatch(line);
});
