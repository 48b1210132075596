import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The receiver of the benchmarks, in a process of its own so that its work is not measured as
 * ours. Answers 200 and notes when each event id arrived (Unix ms with fractions); on
 * 'dump' it sends all of that to its parent and forgets it.
 */
let arrivals: [string, number][] = [];

const server = createServer((request, response) => {
  const atMs = performance.timeOrigin + performance.now();
  const id = request.headers['parley-event-id'] ?? request.headers['x-id'];
  arrivals.push([String(id), atMs]);
  request.resume().on('end', () => response.writeHead(200).end());
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});
process.on('message', () => {
  process.send?.({ arrivals });
  arrivals = [];
});
process.on('disconnect', () => process.exit(0));
