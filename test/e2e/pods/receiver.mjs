// A receiver in a pod: keeps what it was sent, as it came, and shows it to the test. It answers after
// `?wait=` ms.
import { createServer } from 'node:http';

const received = [];

createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    const body = Buffer.concat(pieces).toString('utf8');
    if (request.method === 'POST')
      received.push({ path: request.url, headers: request.headers, body });
    const waitMs = Number(new URL(request.url, 'http://receiver').searchParams.get('wait') ?? 0);
    const answer = request.method === 'GET' ? JSON.stringify(received) : 'ok';
    setTimeout(() => response.end(answer), waitMs);
  });
}).listen(8080);
