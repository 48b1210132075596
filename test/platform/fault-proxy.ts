import { EventEmitter, once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * Stands between a client and a server on loopback, to be the network that fails. What it does to
 * connections can be put together: `freeze` and `resume` make those of a partition stay dead while
 * new ones work, `cut` and `resume` end them when it heals.
 */
export type FaultProxy = {
  port: number;
  /** The same URL by way of the proxy. */
  through: (url: string) => string;
  /** Connections made since the start, and those that are open now. */
  made: () => number;
  open: () => number;
  /** Ports of the open ones as the server sees them. */
  serverSidePorts: () => number[];
  /** Resolves once the check, which is made whenever a connection opens or closes, holds. */
  until: (check: () => boolean) => Promise<void>;
  /** Resets all connections of now; new ones may be made. */
  cut: () => void;
  /** Resets new ones as well, until `accept`. */
  refuse: () => void;
  accept: () => void;
  /** A black hole: all are accepted and kept, of now and new, and nothing passes in either way. */
  hang: () => void;
  /** Whatever `hang` held up passes now. */
  resume: () => void;
  /**
   * The connections of now, or the one that has this port at the server's side, stay open and
   * nothing passes any more; new ones work. What is left of a connection when a load balancer
   * forgets it or the node behind it dies.
   */
  freeze: (serverSidePort?: number) => void;
  /** From now on each piece takes so long, in each way. */
  delay: (ms: number) => void;
  /** New connections go there; those of now stay where they are. */
  retarget: (port: number) => void;
  stop: () => Promise<void>;
};

type Pair = { near: Socket; far: Socket; isFrozen: boolean };

/** @param target a port of 127.0.0.1, or a URL */
export async function startFaultProxy(target: number | string): Promise<FaultProxy> {
  let targetPort = typeof target === 'number' ? target : Number(new URL(target).port);
  const pairs = new Set<Pair>();
  const changes = new EventEmitter();
  const state = { made: 0, isRefusing: false, isHanging: false, delayMs: 0 };

  const apply = ({ near, far, isFrozen }: Pair): void => {
    for (const socket of [near, far]) {
      if (isFrozen || state.isHanging) socket.pause();
      else socket.resume();
    }
  };
  const applyAll = (): void => pairs.forEach(apply);
  const server = createServer((near) => {
    near.on('error', () => near.destroy());
    if (state.isRefusing) {
      near.resetAndDestroy();
      return;
    }
    state.made += 1;
    const far = connect(targetPort, '127.0.0.1');
    const pair = { near, far, isFrozen: false };
    pairs.add(pair);
    far.on('error', () => far.destroy());
    pass(near, far, state);
    pass(far, near, state);
    for (const socket of [near, far]) {
      socket.on('close', () => {
        near.destroy();
        far.destroy();
        if (pairs.delete(pair)) changes.emit('change');
      });
    }
    apply(pair);
    changes.emit('change');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const cut = (): void => pairs.forEach(({ near }) => void near.resetAndDestroy());
  return {
    port,
    through: (url) => {
      const other = new URL(url);
      other.host = `127.0.0.1:${port}`;
      return url.endsWith('/') ? other.href : other.href.replace(/\/$/, '');
    },
    made: () => state.made,
    open: () => pairs.size,
    serverSidePorts: () => [...pairs].map(({ far }) => far.localPort ?? 0),
    until: async (check) => {
      while (!check()) await once(changes, 'change');
    },
    cut,
    refuse: () => {
      state.isRefusing = true;
      cut();
    },
    accept: () => {
      state.isRefusing = false;
    },
    hang: () => {
      state.isHanging = true;
      applyAll();
    },
    resume: () => {
      state.isHanging = false;
      applyAll();
    },
    freeze: (serverSidePort) => {
      for (const pair of pairs) {
        if (serverSidePort === undefined || pair.far.localPort === serverSidePort)
          pair.isFrozen = true;
      }
      applyAll();
    },
    delay: (ms) => {
      state.delayMs = ms;
    },
    retarget: (other) => {
      targetPort = other;
    },
    stop: async () => {
      cut();
      if (!server.listening) return;
      await once(server.close(), 'close');
    },
  };
}

/** One way of a pair: in order, and no faster than the other side takes it. */
function pass(from: Socket, to: Socket, state: { delayMs: number }): void {
  let held = 0;
  const later = (act: () => void): void => {
    // Also what comes after a delay was ended waits for what it holds.
    if (state.delayMs === 0 && held === 0) {
      act();
      return;
    }
    held += 1;
    setTimeout(() => {
      held -= 1;
      act();
    }, state.delayMs);
  };
  from.on('data', (piece) => {
    later(() => {
      if (to.destroyed || to.write(piece)) return;
      from.pause();
      to.once('drain', () => from.resume());
    });
  });
  from.on('end', () => later(() => to.end()));
}
