import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { KubeApi } from './kube-apiserver.ts';
import type { OwnKube } from './kube.ts';

/**
 * API servers that outlive a test file, because starting one takes six seconds of a core. The process that runs the
 * workers keeps them and lends each to one file at a time, so there are never more than workers. A connection is a
 * loan: the loan ends with the connection, even when a worker dies.
 */

/** The data of a borrower. */
type Lent = Omit<KubeApi, 'request'>;
type Answer = { server: Lent } | { error: string };

const ADDRESS = 'PARLEY_TEST_KUBE';
/**
 * Idle time after which a server stops. An idle one takes one and a half percent of a core; starting another takes two
 * seconds of one.
 */
const IDLE_MAX_MS = 60_000;

/** Starts the lender in the process of the global setup. `start` starts a server when all others are lent. */
export async function startLender(
  start: () => Promise<OwnKube>,
  idleMaxMs = IDLE_MAX_MS,
): Promise<{
  stop: () => Promise<void>;
}> {
  /** The free servers, each with the timer that will stop it. The one that was returned last is lent first. */
  const idle = new Map<OwnKube, NodeJS.Timeout>();
  const all = new Set<OwnKube>();
  const take = async (): Promise<OwnKube> => {
    const known = [...idle.keys()].at(-1);
    if (known) {
      clearTimeout(idle.get(known));
      idle.delete(known);
      return known;
    }
    const made = await start();
    all.add(made);
    return made;
  };
  /** Stops a server. The next borrower gets a new one. */
  const stopOne = async (kube: OwnKube): Promise<void> => {
    idle.delete(kube);
    await kube.stop();
    all.delete(kube);
  };
  const takeBack = async (kube: OwnKube): Promise<void> => {
    try {
      await clean(kube);
      idle.set(kube, setTimeout(() => void stopOne(kube), idleMaxMs).unref());
    } catch {
      await stopOne(kube);
    }
  };
  const lend = async (borrower: Socket): Promise<void> => {
    const returned = once(borrower, 'close');
    let answer: Answer;
    let kube: OwnKube | undefined;
    try {
      kube = await take();
      const { url, caCert, token } = kube;
      answer = { server: { url, caCert, token } };
    } catch (error) {
      answer = { error: String(error) };
    }
    borrower.end(JSON.stringify(answer)); // Closes only this half; the borrower closes its half later.
    await returned;
    if (kube) await takeBack(kube);
  };
  const borrowers = new Set<Promise<void>>();
  const server = createServer({ allowHalfOpen: true }, (borrower) => {
    borrower.on('error', () => undefined); // A worker has died.
    borrower.resume();
    const loan = lend(borrower).finally(() => borrowers.delete(loan));
    borrowers.add(loan);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  process.env[ADDRESS] = String((server.address() as AddressInfo).port);
  return {
    stop: async () => {
      server.close();
      await Promise.all(borrowers);
      for (const end of idle.values()) clearTimeout(end);
      await Promise.all([...all].map((kube) => kube.stop()));
    },
  };
}

/** Borrows a server. Called in a test file. */
export async function borrowServer(): Promise<{ server: Lent; giveBack: () => Promise<void> }> {
  const port = process.env[ADDRESS];
  if (port === undefined) throw new Error('no lender: test/setup/start-kube.ts did not run');
  const loan = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
  const answer = JSON.parse(await text(loan)) as Answer;
  if ('error' in answer) throw new Error(answer.error);
  return {
    server: answer.server,
    giveBack: async () => {
      loan.end();
    },
  };
}

async function clean(kube: OwnKube): Promise<void> {
  await kube.deleteAll();
  // Otherwise the next leader waits until the lease of a dead process has run out.
  await kube.request('DELETE', '/apis/coordination.k8s.io/v1/namespaces/default/leases');
  await kube.request('DELETE', '/apis/events.k8s.io/v1/namespaces/default/events');
}
