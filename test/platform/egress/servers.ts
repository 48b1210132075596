/** Receivers that misbehave on purpose, on real sockets. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import tls from 'node:tls';

export type Receiver = {
  port: number;
  /** Every socket accepted so far. */
  sockets: net.Socket[];
  /** Settles when the n-th socket (from 0) has closed. */
  closed: (index: number) => Promise<void>;
  stop: () => Promise<void>;
};

/** Starts a receiver. `onSocket` gets each accepted connection; with TLS, only after its handshake. */
export async function listen(
  onSocket: (socket: net.Socket, index: number) => void,
  options: { host?: string; port?: number; tls?: tls.TlsOptions } = {},
): Promise<Receiver> {
  const sockets: net.Socket[] = [];
  const closings: Promise<void>[] = [];
  const waiting: (() => void)[] = [];
  const server = net.createServer();
  const secure = options.tls === undefined ? undefined : tls.createServer(options.tls);
  let secured = 0;
  secure?.on('secureConnection', (socket) => {
    socket.on('error', () => {});
    onSocket(socket, secured++);
  });
  secure?.on('tlsClientError', (_error, socket) => socket.destroy());
  server.on('connection', (socket) => {
    socket.on('error', () => {});
    closings.push(new Promise((resolve) => socket.once('close', () => resolve())));
    sockets.push(socket);
    for (const wake of waiting.splice(0)) wake();
    if (secure === undefined) onSocket(socket, sockets.length - 1);
    else secure.emit('connection', socket);
  });
  server.listen(options.port ?? 0, options.host ?? '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');

  return {
    port: address.port,
    sockets,
    closed: async (index) => {
      while (closings[index] === undefined) {
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      await closings[index];
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Calls `answer` with each complete request, including a body with a content-length. */
export function onRequest(socket: net.Socket, answer: (request: string) => void): void {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    const headEnd = text.indexOf('\r\n\r\n');
    if (headEnd === -1) return;
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
    if (text.length < headEnd + 4 + length) return;
    const request = text;
    text = '';
    answer(request);
  });
}

export function respond(status: string, body = '', headers = ''): string {
  return `HTTP/1.1 ${status}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
}

export type Certificates = Record<
  'ca' | 'good' | 'goodKey' | 'elsewhere' | 'expired' | 'selfSigned',
  string
>;

/**
 * Creates an authority and certificates: one for `good.test` and 127.0.0.1, one for `elsewhere.test`, an expired one
 * and a self-signed one. All have the same key.
 */
export function makeCertificates(): Certificates {
  const folder = mkdtempSync(path.join(tmpdir(), 'egress-tls-'));
  const file = (name: string): string => path.join(folder, name);
  const openssl = (...args: string[]): void => {
    execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  };
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  try {
    writeFileSync(file('san'), 'subjectAltName=DNS:good.test,IP:127.0.0.1\n');
    openssl('req', '-x509', ...ec, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Test CA');
    openssl('req', ...ec, '-keyout', 'good.key', '-out', 'good.csr', '-subj', '/CN=good.test');
    const sign = ['x509', '-req', '-in', 'good.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key'];
    openssl(...sign, '-extfile', 'san', '-out', 'good.pem', '-days', '2');
    writeFileSync(file('other'), 'subjectAltName=DNS:elsewhere.test\n');
    openssl(...sign, '-extfile', 'other', '-out', 'elsewhere.pem', '-days', '2');
    // Only `openssl ca` sets both dates in every version of openssl.
    writeFileSync(file('index'), '');
    writeFileSync(file('serial'), '01\n');
    writeFileSync(
      file('ca.conf'),
      '[ca]\ndefault_ca=c\n[c]\ndatabase=index\nserial=serial\nnew_certs_dir=.\n' +
        'default_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n',
    );
    const from = ['ca', '-batch', '-config', 'ca.conf', '-cert', 'ca.pem', '-keyfile', 'ca.key'];
    const past = ['-startdate', '20200101000000Z', '-enddate', '20200102000000Z'];
    openssl(
      ...from,
      ...past,
      '-extfile',
      'san',
      '-in',
      'good.csr',
      '-out',
      'expired.pem',
      '-notext',
    );
    const self = ['req', '-x509', '-key', 'good.key', '-out', 'self.pem', '-subj', '/CN=good.test'];
    openssl(...self, '-addext', 'subjectAltName=DNS:good.test');
    const read = (name: string): string => readFileSync(file(name), 'utf8');
    return {
      ca: read('ca.pem'),
      good: read('good.pem'),
      goodKey: read('good.key'),
      elsewhere: read('elsewhere.pem'),
      expired: read('expired.pem'),
      selfSigned: read('self.pem'),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
