import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setInterval as ticks } from 'node:timers/promises';

/**
 * Simulates a Service with its kube-proxy. It has one address, and new connections go to the ready pods in turn. A
 * connection stays with its pod until it ends. Removing a pod does not close its connections.
 */
export type ServiceSwitch = {
  url: string;
  /** Adds a pod and probes its readiness as a kubelet does. Resolves when it gets connections. */
  add: (pod: Pod) => Promise<void>;
  /** Stops new connections to a pod, as when it is terminating. */
  remove: (pod: Pod) => void;
  stop: () => Promise<void>;
};

/** `readyUrl` responds with 200 if the pod is ready. */
export type Pod = { port: number; readyUrl: string };

const PROBE_MS = 200;
const PROBE_TIMEOUT_MS = 2_000;
/** Number of failed probes after which a pod is not ready, as in the chart (`failureThreshold`). */
const FAILURES = 2;

export async function startServiceSwitch(): Promise<ServiceSwitch> {
  const pods = new Map<Pod, { isReady: boolean; stop: () => Promise<void> }>();
  const sockets = new Set<Socket>();
  let turn = 0;

  const server = createServer({ allowHalfOpen: true }, (near) => {
    const ready = [...pods].filter(([, { isReady }]) => isReady).map(([pod]) => pod);
    const pod = ready[turn++ % Math.max(1, ready.length)];
    if (pod === undefined) {
      near.on('error', () => undefined);
      near.resetAndDestroy(); // kube-proxy refuses connections, but a listener can only reset them.
      return;
    }
    join(near, connect({ port: pod.port, host: '127.0.0.1', allowHalfOpen: true }));
  });

  function join(near: Socket, far: Socket): void {
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.pipe(other);
      socket.on('error', () => other.resetAndDestroy());
      socket.on('close', () => sockets.delete(socket));
    }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    add: (pod) =>
      new Promise((resolve) => {
        const entry = { isReady: false, stop: async (): Promise<void> => undefined };
        pods.set(pod, entry);
        entry.stop = probe(pod, (isReady) => {
          entry.isReady = isReady;
          if (isReady) resolve();
        });
      }),
    remove: (pod) => {
      void pods.get(pod)?.stop();
      pods.delete(pod);
    },
    stop: async () => {
      await Promise.all([...pods.values()].map(({ stop }) => stop()));
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Probes a pod at an interval, and reports its readiness. */
function probe(pod: Pod, report: (isReady: boolean) => void): () => Promise<void> {
  const stopping = new AbortController();
  const loop = async (): Promise<void> => {
    let failures = 0;
    for await (const _ of ticks(PROBE_MS)) {
      const isReady = await asksWell(pod.readyUrl);
      failures = isReady ? 0 : failures + 1;
      if (stopping.signal.aborted) return;
      if (isReady || failures >= FAILURES) report(isReady);
    }
  };
  const over = loop();
  return () => {
    stopping.abort();
    return over;
  };
}

async function asksWell(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) })).status === 200;
  } catch {
    return false;
  }
}
