import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { createListWatch } from '../../src/platform/kubernetes/list-watch.ts';
import { collectionPath } from '../../src/platform/kubernetes/resource-paths.ts';
import { toResource } from '../../src/platform/kubernetes/to-resource.ts';
import type { Resource } from '../../src/platform/resources/resource-store.ts';
import { createEmbeddedPostgres } from '../../src/standalone/postgres/embedded-postgres.ts';
import { kubeconfigOf, startKube } from '../platform/kubernetes/kube.ts';
import { startFaultProxy } from '../platform/fault-proxy.ts';
import { runMigrations, startRole, type Parley } from '../roles/parley-process.ts';
import { distribution, ms, openLoop, print, residentMemory } from './figures.ts';
import { until } from '../until.ts';

/**
 * The operator's figures on a real kube-apiserver, etcd and PostgreSQL, all on this machine:
 *
 *   npm run bench -- kubernetes                about six minutes
 *   IDLE_SEC=600 npm run bench -- kubernetes   with ten idle minutes, as promised
 *
 * Beside a figure stands what the API server needs for the same writes with nobody listening.
 */

const RATE = 10;
const RATE_SEC = 30;
const BURST = 1_000;
const PRESENT = 10_000;
const WRITERS = 32;
const IDLE_SEC = Number(process.env['IDLE_SEC'] ?? 60);

/** About two kilobytes, as prompts are. */
const PROMPT = 'You help people with their orders, kindly and in few words. '.repeat(32);

let made = 0;

const folder = await mkdtemp(path.join(tmpdir(), 'parley-bench-'));
const log = pino({ level: 'silent' });
const kube = await startKube();
const postgres = createEmbeddedPostgres({ dataDir: path.join(folder, 'postgres'), log });
const { url: databaseUrl } = await postgres.start();
// The operators reach the API server through it, so that their connections can be counted.
const proxy = await startFaultProxy(kube.url);
const KUBECONFIG = path.join(folder, 'kubeconfig');
await writeFile(KUBECONFIG, kubeconfigOf({ ...kube, url: proxy.through(kube.url) }));
await runMigrations(databaseUrl);
const running = new Set<Parley>();
const agents = watchAgents();
try {
  await baseline();
  const operator = await startOperator();
  await steady();
  await burst();
  await failover(operator);
  await present();
  await deliveryMemory();
} finally {
  await Promise.all([...running].map((one) => one.stop()));
  await agents.stop();
  await proxy.stop();
  await postgres.stop();
  await kube.stop();
  await rm(folder, { recursive: true, force: true });
}

async function startOperator(): Promise<Parley> {
  const env = { PARLEY_STORE: 'kubernetes', KUBECONFIG, PARLEY_QUOTA_AGENTS: '0' };
  const operator = await startRole('operator', { databaseUrl, env });
  running.add(operator);
  return operator;
}

/** What the server takes for writes alone. */
async function baseline(): Promise<void> {
  const waits = await openLoop({ rate: RATE, seconds: 10 }, () => timed(apply(fresh(), 'x')));
  print(`  a bare apply at ${RATE}/s, nobody listening`, distribution(waits));
  const startedMs = performance.now();
  await inParallel(BURST, () => apply(fresh(), 'x'));
  print(`  ${BURST} bare applies, ${WRITERS} at once`, ms(performance.now() - startedMs));
  await deleteAgents();
}

async function steady(): Promise<void> {
  const names: string[] = [];
  const act = async (): Promise<number> => {
    // Two edits for each new one.
    const name = names.length % 3 === 0 ? fresh() : names.at(-1)!;
    names.push(name);
    const startedMs = performance.now();
    const { generation } = await apply(name, `text ${names.length}`);
    await agents.ready(name, generation);
    return performance.now() - startedMs;
  };
  const waits = await openLoop({ rate: RATE, seconds: RATE_SEC }, act);
  print(`apply → Ready, event committed, at ${RATE}/s`, distribution(waits));
}

async function burst(): Promise<void> {
  const startedMs = performance.now();
  const names = Array.from({ length: BURST }, fresh);
  await inParallel(BURST, (i) => apply(names[i]!, 'one'));
  const appliedMs = performance.now() - startedMs;
  await Promise.all(names.map((name) => agents.ready(name, 1)));
  const readyMs = performance.now() - startedMs;
  print(
    `${BURST} agents at once, all Ready`,
    `${ms(readyMs)} (the applies alone ${ms(appliedMs)})`,
  );
}

/** A leader killed and a leader stopped, three times each, until the other one has acted. */
async function failover(first: Parley): Promise<void> {
  let leader = first;
  let standby = await startOperator();
  for (const how of ['killed', 'stopped'] as const) {
    const waits: number[] = [];
    for (let i = 0; i < 3; i += 1) {
      const startedMs = performance.now();
      const ended = how === 'killed' ? leader.kill() : leader.stop();
      const name = fresh();
      await apply(name, 'after');
      await agents.ready(name, 1);
      waits.push(performance.now() - startedMs);
      await ended;
      running.delete(leader);
      leader = standby;
      standby = await startOperator();
    }
    print(`leader ${how} → next reconcile`, waits.map(ms).join(', '));
  }
  for (const one of [standby, leader]) {
    await one.stop();
    running.delete(one);
  }
}

async function present(): Promise<void> {
  const filler = await startOperator();
  const missing = PRESENT - agents.count();
  const names = Array.from({ length: missing }, fresh);
  const startedMs = performance.now();
  await inParallel(missing, (i) => apply(names[i]!, PROMPT));
  await Promise.all(names.map((name) => agents.ready(name, 1)));
  print(`${missing} more agents, all Ready`, ms(performance.now() - startedMs));
  await filler.stop();
  running.delete(filler);

  const coldMs = performance.now();
  const operator = await startOperator();
  const areAll = async (): Promise<boolean> => (await reconciles(operator)) >= PRESENT;
  await until(`${PRESENT} reconciles`, areAll, { timeoutMs: 600_000, everyMs: 100 });
  print(`${PRESENT} present: cold start → all verified`, ms(performance.now() - coldMs));
  print('  memory of the operator', residentMemory(operator.pids[0]!, { peak: true }));
  await idle(operator);
}

async function idle(operator: Parley): Promise<void> {
  await delay(5_000); // The Events of before are sent.
  const before = await requests(operator);
  const connectionsBefore = proxy.made();
  await delay(IDLE_SEC * 1_000); // What is measured.
  const after = await requests(operator);
  const perMethod = [...after].map(([method, count]) => [
    method,
    count - (before.get(method) ?? 0),
  ]);
  const rate = perMethod.reduce((sum, [, count]) => sum + Number(count), 0) / IDLE_SEC;
  const writes = perMethod.find(([method]) => method === 'PATCH')?.[1] ?? 0;
  const opened = proxy.made() - connectionsBefore;
  print(
    `idle for ${IDLE_SEC} s`,
    `${rate.toFixed(2)} requests/s, ${writes} object writes, ${opened} new connections`,
  );
}

async function deliveryMemory(): Promise<void> {
  const delivery = await startRole('delivery', { databaseUrl, env: {} });
  running.add(delivery);
  await delay(2_000); // It settles after its start.
  print('memory of a delivery process, idle', residentMemory(delivery.pids[0]!, { peak: true }));
}

function fresh(): string {
  made += 1;
  return `bench-${made}`;
}

async function apply(name: string, prompt: string): Promise<{ generation: number }> {
  const manifest = {
    apiVersion: 'parley.dev/v1alpha1',
    kind: 'Agent',
    metadata: { name },
    spec: { prompt },
  };
  return toResource('Agent', await kube.kubectlApply(manifest, 'bench')).metadata;
}

async function timed(work: Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work;
  return performance.now() - startedMs;
}

async function inParallel(count: number, act: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const writer = async (): Promise<void> => {
    while (next < count) await act(next++);
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
}

async function deleteAgents(): Promise<void> {
  await kube.client.request({ method: 'DELETE', path: collectionPath('Agent', 'default') });
  await until('the last agent to go', () => agents.count() === 0, { timeoutMs: 600_000 });
}

async function metric(of: Parley, pattern: RegExp): Promise<RegExpExecArray[]> {
  const text = await (await fetch(`${of.url}/metrics`)).text();
  return [...text.matchAll(pattern)];
}

async function reconciles(operator: Parley): Promise<number> {
  const pattern = /^controller_runtime_reconcile_total\{[^}]*controller="agent"[^}]*\} (\d+)$/gm;
  return (await metric(operator, pattern)).reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Requests to the API server so far, by method. */
async function requests(operator: Parley): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const pattern = /^rest_client_requests_total\{[^}]*method="(\w+)"[^}]*\} (\d+)$/gm;
  for (const [, method, count] of await metric(operator, pattern)) {
    counts.set(method!, (counts.get(method!) ?? 0) + Number(count));
  }
  return counts;
}

/** What a user with `kubectl wait` sees, from a watch of our own. */
function watchAgents() {
  const seen = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();
  const take = (agent: Resource): void => {
    const { name } = agent.metadata;
    seen.set(name, isReady(agent) ? agent.metadata.generation : 0);
    waiting.get(name)?.forEach((wake) => wake());
    waiting.delete(name);
  };
  const watch = createListWatch<Resource>({
    client: kube.newClient(),
    path: collectionPath('Agent'),
    convert: (raw) => toResource('Agent', raw),
    sink: {
      replace: (items) => items.forEach(take),
      upsert: take,
      remove: ({ metadata }) => void seen.delete(metadata.name),
    },
    log,
  });
  watch.start();
  return {
    count: () => seen.size,
    ready: async (name: string, generation: number): Promise<void> => {
      while ((seen.get(name) ?? 0) < generation) {
        await new Promise<void>((resolve) => {
          waiting.set(name, [...(waiting.get(name) ?? []), resolve]);
        });
      }
    },
    stop: watch.stop,
  };
}

function isReady({ metadata, status }: Resource): boolean {
  const conditions = Array.isArray(status['conditions']) ? status['conditions'] : [];
  return (
    status['observedGeneration'] === metadata.generation &&
    conditions.some(
      (one: { type: string; status: string }) => one.type === 'Ready' && one.status === 'True',
    )
  );
}
