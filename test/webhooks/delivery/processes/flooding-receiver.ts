import { fork } from 'node:child_process';
import { createServer } from 'node:net';

/**
 * A receiver that answers each connection with 103 Early Hints for as long as it takes them, in a
 * process of its own so that its work is not measured as ours.
 */
export type FloodingReceiver = {
  url: string;
  /** Connections so far. */
  connections: () => Promise<number>;
  stop: () => void;
};

export async function startFloodingReceiver(): Promise<FloodingReceiver> {
  const child = fork(import.meta.filename, ['serve']);
  const next = (): Promise<number> =>
    new Promise((resolve) => child.once('message', (message) => resolve(Number(message))));
  const port = await next();
  return {
    url: `http://127.0.0.1:${port}/`,
    connections: () => {
      const answer = next();
      child.send('connections');
      return answer;
    },
    stop: () => child.disconnect(),
  };
}

function serve(): void {
  const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(1_000);
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    const pour = (): void => {
      while (!socket.destroyed && socket.write(hints));
    };
    socket.on('error', () => undefined);
    socket.on('drain', pour);
    socket.once('data', pour);
    socket.resume();
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.send?.(typeof address === 'object' && address ? address.port : 0);
  });
  process.on('message', () => process.send?.(connections));
  process.on('disconnect', () => process.exit(0));
}

if (process.argv[2] === 'serve') serve();
