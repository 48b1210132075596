// A receiver in a pod: keeps what it was sent, as it came, and shows it to the test.
import { createServer } from 'node:http';

const received = [];

createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    const body = Buffer.concat(pieces).toString('utf8');
    if (request.method === 'POST')
      received.push({ path: request.url, headers: request.headers, body });
    response.end(request.method === 'GET' ? JSON.stringify(received) : 'ok');
  });
}).listen(8080);
