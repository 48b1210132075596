import { EventEmitter, once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Stands between a client and the API server: counts connections, and breaks them. */
export type CutProxy = {
  /** `https://127.0.0.1:<port>` */
  url: string;
  /** Connections made since the start, and those that are open now. */
  made: () => number;
  open: () => number;
  /** Resolves once the check, which is made whenever a connection opens or closes, holds. */
  until: (check: () => boolean) => Promise<void>;
  /** Resets all connections of now. */
  cut: () => void;
  /** Resets new ones as well, until `accept`. */
  refuse: () => void;
  accept: () => void;
  /**
   * The connections of now stay open and nothing passes any more; new ones work. What is left of
   * a connection when a load balancer forgets it or the node behind it dies.
   */
  freeze: () => void;
  stop: () => Promise<void>;
};

export async function startCutProxy(targetUrl: string): Promise<CutProxy> {
  const { hostname, port: targetPort } = new URL(targetUrl);
  const pairs = new Set<[Socket, Socket]>();
  const changes = new EventEmitter();
  let made = 0;
  let refusing = false;
  const server = createServer((client) => {
    client.on('error', () => client.destroy());
    if (refusing) {
      client.resetAndDestroy();
      return;
    }
    made += 1;
    const upstream = connect(Number(targetPort), hostname);
    const pair: [Socket, Socket] = [client, upstream];
    pairs.add(pair);
    changes.emit('change');
    upstream.on('error', () => upstream.destroy());
    client.pipe(upstream);
    upstream.pipe(client);
    for (const socket of pair) {
      socket.on('close', () => {
        pairs.delete(pair);
        changes.emit('change');
        pair.forEach((one) => one.destroy());
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const cut = (): void => pairs.forEach(([client]) => void client.resetAndDestroy());
  return {
    url: `https://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    made: () => made,
    open: () => pairs.size,
    until: async (check) => {
      while (!check()) await once(changes, 'change');
    },
    cut,
    refuse: () => {
      refusing = true;
      cut();
    },
    accept: () => {
      refusing = false;
    },
    freeze: () => {
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream);
        upstream.unpipe(client);
      }
    },
    stop: async () => {
      cut();
      if (!server.listening) return;
      await once(server.close(), 'close');
    },
  };
}
