import { afterEach, beforeAll, expect, test } from 'vitest';
import { flood, TOO_LONG } from './flood.ts';
import { createClient, post, receiver, stopAll } from './harness.ts';
import { makeCertificates, onRequest, respond, type Certificates } from './servers.ts';

let certificates: Certificates;
beforeAll(() => {
  certificates = makeCertificates();
});
afterEach(stopAll);

test('the certificate of a literal address has to name it', async () => {
  const { good, goodKey, ca } = certificates;
  const serve = (host: string) =>
    receiver((socket) => onRequest(socket, () => socket.write(respond('200 OK'))), {
      host,
      tls: { cert: good, key: goodKey },
    });
  const client = createClient({ tlsCa: ca });
  // Both servers present the certificate of 127.0.0.1.
  const [named, other] = [await serve('127.0.0.1'), await serve('127.0.0.9')];
  expect(await client.send(post(`https://127.0.0.1:${named.port}/`))).toMatchObject({
    statusCode: 200,
  });
  expect(await client.send(post(`https://127.0.0.9:${other.port}/`))).toMatchObject({
    kind: 'error',
    errorClass: 'tls',
    message: expect.stringContaining('a different host name'),
  });
});

test('a receiver that sends 103 Early Hints without end by TLS fails at once', async () => {
  const tls = { cert: certificates.good, key: certificates.goodKey };
  const server = await receiver(flood('HTTP/1.1 103 ', 'x'.repeat(1_000)), { tls });
  const client = createClient({ tlsCa: certificates.ca });
  const url = `https://127.0.0.1:${server.port}/`;
  const outcome = await client.send(post(url, { timeoutMs: 30_000 }));
  expect(outcome).toMatchObject({ errorClass: 'connect', message: TOO_LONG });
  await server.closed(0);
});
