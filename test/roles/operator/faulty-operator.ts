import { writeSync } from 'node:fs';
import { createKubeClient } from '../../../src/platform/kubernetes/client.ts';
import { createEventRecorder } from '../../../src/platform/kubernetes/event-recorder.ts';
import { createLeaseElector } from '../../../src/platform/kubernetes/lease-elector.ts';
import { pathOf } from '../../../src/platform/kubernetes/resource-paths.ts';
import { createKubernetesResourceStore } from '../../../src/platform/kubernetes/resource-store.ts';
import { runOperator } from '../../../src/roles/operator/run.ts';
import type { Elect } from '../../../src/roles/operator/terms.ts';
import { createContext } from '../../../src/roles/context.ts';
import { stopOnSignals } from '../../../src/roles/shutdown.ts';
import { raiseEpoch } from '../../../src/platform/postgres/leadership.ts';
import { createSideEffects, type Order, type Strike, type Report } from './side-effects.ts';

/**
 * Runs the operator in its own process, wired as in roles/kubernetes-declarations.ts. A `Strike` can interrupt it at
 * any of its side effects. It reports its actions on stdout. The options contain the first strike, and others arrive by
 * IPC.
 */
export type FaultyOperatorOptions = {
  name: string;
  namespace: string;
  databaseUrl: string;
  /** Encryption key: 32 bytes in base64. */
  encryptionKey: string;
  kube: { server: string; caCert: string; token: string };
  strike?: Strike;
  /**
   * The default is long enough that no term is lost on a busy machine. The test releases the Lease of a dead operator.
   */
  leaseDurationMs?: number;
};

const nowMs = (): number => performance.now();
/** Writes synchronously, so that a killed process has written its reports. */
const report = (report: Report): void => void writeSync(1, `${JSON.stringify(report)}\n`);

// The cast is safe: only test/roles/operator/operator-process.ts sets this variable.
const options = JSON.parse(process.env['FAULTY_OPERATOR'] ?? '') as FaultyOperatorOptions;
const { name, namespace, kube, leaseDurationMs = 15_000 } = options;
/** Interval in ms between renewals of the Lease. A former leader notices at its next renewal that it lost the term. */
const RETRY_MS = 500;

const effects = createSideEffects(report);
if (options.strike) effects.obey({ strike: options.strike });
process.on('message', (order) => effects.obey(order as Order));

const context = createContext({
  role: name,
  databaseUrl: sessionUrl(options.databaseUrl),
  encryptionKey: Buffer.from(options.encryptionKey, 'base64'),
  egressAllow: ['127.0.0.0/8'],
  logLevel: 'info',
  poolMax: 10,
});
const { log } = context;
const pool = effects.pool(context.pool);
const client = effects.client(
  createKubeClient({
    credentials: {
      server: kube.server,
      tls: { ca: kube.caCert },
      headers: async () => ({ authorization: `Bearer ${kube.token}` }),
      namespace,
    },
  }),
);
const recorder = createEventRecorder({
  client,
  reportingController: 'parley.dev/parley-operator',
  reportingInstance: name,
  log,
  nowMs,
});

const elect: Elect = ({ onLead, onLost }) => {
  const elector = createLeaseElector({
    client,
    namespace,
    name: 'parley-operator',
    identity: name,
    log,
    nowMs,
    leaseDurationMs,
    renewDeadlineMs: leaseDurationMs * 0.7,
    retryPeriodMs: RETRY_MS,
    onLead: async (resign) => {
      const office = await raiseEpoch(pool, 'test');
      report({ leading: office.epoch });
      await onLead(office, resign);
    },
    onLost: async () => {
      await onLost();
      report({ follows: true });
    },
  });
  return {
    start: () => {
      report({ ready: true }); // All watches have reported their initial state.
      elector.start();
    },
    stop: elector.stop,
  };
};

const operator = await runOperator({
  ...context,
  pool,
  store: createKubernetesResourceStore({ client, log, namespaces: [namespace] }),
  namespaces: [namespace],
  elect,
  record: ({ kind, metadata }, event) =>
    recorder.record({ kind, apiVersion: pathOf(kind).apiVersion, ...metadata }, event),
});
stopOnSignals(async () => {
  await operator.stop();
  await recorder.stop();
  await client.close();
  await context.close();
});

/**
 * Returns a database URL that identifies the writer (see guardLeadership). Its timeout releases the locks of a paused
 * operator, just as the Lease expires.
 */
function sessionUrl(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('application_name', `operator/${process.pid}`);
  url.searchParams.set('idle_in_transaction_session_timeout', '1500');
  return url.href;
}
