import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { createEmbeddedPostgres } from '../../../src/standalone/postgres/embedded-postgres.ts';
import { parentOf, type Group } from './cpu.ts';
import type { Options } from './options.ts';
import { BODY_BYTES, startParley, type Parley } from './parley.ts';
import {
  unpackArrivals,
  type Arrival,
  type Mode,
  type Plan,
  type Produced,
  type Request,
} from './wire.ts';
import { startWorker, type Worker } from './worker.ts';

/** Everything that runs during the benchmark; one PostgreSQL and one receiver for all systems. */
export type Bench = {
  options: Options;
  /** Of the server's own database, for what belongs to no system. */
  databaseUrl: string;
  parley: Parley;
  receiver: Receiver;
  startProducer: () => Producer;
  producer: Producer;
  systems: Record<SystemName, System>;
  /** Forgets what graphile-worker still has to do. */
  clearGraphile: () => Promise<void>;
  groups: () => Record<string, Group>;
};

export type SystemName = 'parley' | 'graphile' | 'bare';

/** Where a producer sends events for the receiver's paths, and whose CPU counts for it. */
export type System = {
  name: SystemName;
  plan: (paths: readonly number[]) => Pick<Plan, 'base' | 'requests' | 'ids'>;
  counted: readonly string[];
};

export type Receiver = {
  pid: number;
  port: number;
  livePort: number;
  mode: (paths: readonly number[], mode: Mode, slowMs?: number) => Promise<void>;
  close: () => Promise<void>;
  /** Resolves with the time at which the port was open again, in ns. */
  open: () => Promise<number>;
  count: () => Promise<number>;
  take: () => Promise<Arrival[]>;
};

export type Producer = {
  pid: number;
  run: (plan: Plan) => Promise<Produced>;
  /** Ends an open loop without end. */
  stopRun: () => Promise<void>;
  stop: () => Promise<void>;
};

/** Runs `work` with everything up, and takes everything down again. */
export async function withBench(
  options: Options,
  work: (bench: Bench) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-bench-'));
  const stops: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (let one = stops.pop(); one; one = stops.pop()) await one();
  };
  const signalled = (): void => void stop().finally(() => process.exit(130));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, signalled);
  try {
    await work(await start(options, folder, (one) => stops.push(one)));
  } finally {
    await stop();
  }
}

async function start(
  options: Options,
  folder: string,
  onStop: (stop: () => Promise<unknown>) => void,
): Promise<Bench> {
  const postgres = createEmbeddedPostgres({
    dataDir: folder,
    log: pino({ level: 'silent' }),
    // Four delivery processes beside the rest; everything else as it comes, fsync on.
    settings: { max_connections: '150' },
  });
  const { url: databaseUrl } = await postgres.start();
  onStop(postgres.stop);
  const postmaster = await preparePostgres(databaseUrl);
  const receiver = await startReceiver();
  onStop(receiver.stop);
  const producers = new Set<number>();
  const startProducer = (): Producer => {
    const worker = startWorker('producer.ts');
    producers.add(worker.pid);
    return {
      pid: worker.pid,
      run: (plan) => worker.call('run', plan),
      stopRun: () => worker.call('stop'),
      stop: worker.stop,
    };
  };
  const producer = startProducer();
  onStop(producer.stop);
  const graphile = startWorker('graphile.ts', {
    DATABASE_URL: inDatabase(databaseUrl, 'graphile'),
  });
  onStop(graphile.stop);
  const { port: graphilePort } = await graphile.call<{ port: number }>('start');
  const parley = await startParley({
    databaseUrl: inDatabase(databaseUrl, 'parley'),
    receiver,
    logs: options.logs,
    profiles: options.profiles,
  });
  onStop(parley.stop);
  return {
    options,
    databaseUrl,
    parley,
    receiver,
    startProducer,
    producer,
    systems: systemsOf({ parley, receiver, graphilePort }),
    clearGraphile: () => clearGraphile(inDatabase(databaseUrl, 'graphile')),
    groups: () => ({
      api: { pids: [parley.api.pid] },
      delivery: { pids: parley.deliveries.map(({ pid }) => pid) },
      operator: { pids: [parley.operator.pid] },
      graphile: { pids: [graphile.pid] },
      postgres: { pids: [postmaster], withChildren: true },
      receiver: { pids: [receiver.pid] },
      producer: { pids: [...producers] },
      bench: { pids: [process.pid] },
    }),
  };
}

/** A database for each system; returns the pid of the postmaster. */
async function preparePostgres(databaseUrl: string): Promise<number> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query('create database parley');
  await client.query('create database graphile');
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const postmaster = parentOf(rows[0]!.pid);
  await client.end();
  return postmaster;
}

export function inDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

async function startReceiver(): Promise<Receiver & Pick<Worker, 'stop'>> {
  const worker = startWorker('receiver.ts');
  const ports = await worker.call<{ port: number; livePort: number }>('start');
  return {
    ...ports,
    pid: worker.pid,
    mode: (paths, mode, slowMs) => worker.call('mode', { paths, mode, slowMs }),
    close: () => worker.call('close'),
    open: () => worker.call('open'),
    count: () => worker.call('count'),
    take: async () => unpackArrivals(await worker.call<Uint8Array>('take')),
    stop: worker.stop,
  };
}

function systemsOf(of: {
  parley: Parley;
  receiver: Receiver;
  graphilePort: number;
}): Bench['systems'] {
  const { parley, receiver, graphilePort } = of;
  const origin = `http://127.0.0.1:${receiver.port}`;
  const json = { 'content-type': 'application/json' };
  // As long as Parley's, in the request and on its way to the receiver.
  const payload = {
    filler: ''.padEnd(BODY_BYTES - '{"filler":""}'.length, 'It arrived in time. '),
  };
  const requests = (paths: readonly number[], make: (path: number) => Omit<Request, 'target'>) =>
    paths.map((target) => ({ ...make(target), target }));
  return {
    parley: {
      name: 'parley',
      plan: (paths) => ({
        base: parley.url,
        requests: parley.testRequests(paths),
        ids: 'event_id',
      }),
      counted: ['api', 'delivery', 'operator', 'postgres'],
    },
    graphile: {
      name: 'graphile',
      plan: (paths) => ({
        base: `http://127.0.0.1:${graphilePort}`,
        ids: 'given',
        requests: requests(paths, (path) => ({
          path: '/jobs',
          headers: json,
          body: JSON.stringify({ id: '%ID%', url: `${origin}/${path}`, payload }),
        })),
      }),
      counted: ['graphile', 'postgres'],
    },
    bare: {
      name: 'bare',
      plan: (paths) => ({
        base: origin,
        ids: 'given',
        requests: requests(paths, (path) => ({
          path: `/${path}`,
          headers: { ...json, 'parley-delivery-attempt': '1' },
          body: JSON.stringify(payload),
        })),
      }),
      counted: ['producer'],
    },
  };
}

async function clearGraphile(databaseUrl: string): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query('delete from graphile_worker._private_jobs where locked_at is null');
  await client.end();
  await delay(200); // Its workers settle, which has no signal.
}
