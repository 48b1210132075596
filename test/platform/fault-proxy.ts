import { EventEmitter, once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * A proxy between a client and a server on loopback that simulates a failing network. Its faults can be combined:
 * `freeze` and `resume` keep the connections of a partition dead while new ones work; `cut` and `resume` end them when
 * it heals.
 */
export type FaultProxy = {
  port: number;
  /** Returns the same URL through the proxy. */
  through: (url: string) => string;
  /** Number of connections since the start, and of those open now. */
  made: () => number;
  open: () => number;
  /** Local ports of the open connections as the server sees them. */
  serverSidePorts: () => number[];
  /** Resolves once `check` returns true. Runs it whenever a connection opens or closes. */
  until: (check: () => boolean) => Promise<void>;
  /** Resets all existing connections. New ones work. */
  cut: () => void;
  /** Also resets new connections, until `accept`. */
  refuse: () => void;
  accept: () => void;
  /** Accepts and keeps all connections, existing and new, but passes nothing in either direction. */
  hang: () => void;
  /** Passes everything that `hang` held up. */
  resume: () => void;
  /**
   * Keeps the existing connections open without passing anything, or only the one with this port at the server's side.
   * New connections work. This simulates a load balancer that forgets a connection, or the death of the node behind it.
   */
  freeze: (serverSidePort?: number) => void;
  /** Delays each piece by this time, in each direction. */
  delay: (ms: number) => void;
  /** Connects new connections to this port. Existing ones stay. */
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

/** Passes one direction of a pair: in order, and no faster than the other side takes it. */
function pass(from: Socket, to: Socket, state: { delayMs: number }): void {
  let held = 0;
  const later = (act: () => void): void => {
    // After a delay has ended, later data still waits for the delayed data.
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
