import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Stands between a client and a server, to be the network that fails. */
export type TcpProxy = {
  port: number;
  /** Nothing passes any more, but no connection is closed: what a dead node looks like. */
  hang: () => void;
  /** Whatever was held up passes now. */
  resume: () => void;
  /** Closes all connections of now; new ones may be made. */
  cut: () => void;
  stop: () => Promise<void>;
};

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let hanging = false;
  const take = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  };
  const server = createServer((client) => {
    const upstream = connect(targetPort, '127.0.0.1');
    take(client);
    take(upstream);
    client.on('data', (piece) => upstream.write(piece)).on('end', () => upstream.end());
    upstream.on('data', (piece) => client.write(piece)).on('end', () => client.end());
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    if (hanging) for (const socket of [client, upstream]) socket.pause();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const cut = (): void => sockets.forEach((socket) => void socket.destroy());
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    hang: () => {
      hanging = true;
      for (const socket of sockets) socket.pause();
    },
    resume: () => {
      hanging = false;
      for (const socket of sockets) socket.resume();
    },
    cut,
    stop: async () => {
      cut();
      if (!server.listening) return;
      await once(server.close(), 'close');
    },
  };
}
