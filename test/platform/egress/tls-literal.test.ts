import { afterEach, expect, test } from 'vitest';
import { createClient, post, receiver, stopAll } from './harness.ts';
import { makeCertificates, onRequest, respond } from './servers.ts';

afterEach(stopAll);

test('the certificate of a literal address has to name it', async () => {
  const { good, goodKey, ca } = makeCertificates();
  const serve = (host: string) =>
    receiver((socket) => onRequest(socket, () => socket.write(respond('200 OK'))), {
      host,
      tls: { cert: good, key: goodKey },
    });
  const client = createClient({ tlsCa: ca });
  // Both are there and both have the certificate; it is of 127.0.0.1.
  const [named, other] = [await serve('127.0.0.1'), await serve('127.0.0.9')];
  expect(await client.send(post(`https://127.0.0.1:${named.port}/`))).toMatchObject({
    statusCode: 200,
  });
  expect(await client.send(post(`https://127.0.0.9:${other.port}/`))).toMatchObject({
    kind: 'error',
    errorClass: 'tls',
    message: expect.stringContaining('another host name'),
  });
});
