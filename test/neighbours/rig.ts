import { fork } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { insertApiKey, newKeyText } from '../../src/access/api-keys.sql.ts';
import { SCOPES, type Scope } from '../../src/platform/http/authorize.ts';
import { createPool } from '../../src/platform/postgres/pool.ts';
import { createEmbeddedPostgres } from '../../src/standalone/postgres/embedded-postgres.ts';
import { openLoop, quantile } from '../bench/figures.ts';
import { startParley, type Parley } from '../roles/parley-process.ts';
import {
  CARRIER_SECRET,
  CARRIER_TOKEN,
  type Answer,
  type Attack,
  type AttackerKeys,
} from './attack.ts';
import type { AttackData, AttackMessage } from './attack-process.ts';
import { createShown } from './create-shown.ts';

/** A `parley start` with a victim and an attacker, each in a namespace of its own. */

export type Times = { p50: number; p95: number; errors: number };

export type Figures = {
  quiet: Times;
  beside: Times;
  /** Bytes by which resident memory grew at most. */
  grownBytes: number;
  /** What the watchdog logged, oldest first. */
  stalls: Stall[];
  /** What the attacker was answered. */
  seen: Map<string, number>;
  /** Why the attack could not begin or go on. */
  failure: string | undefined;
  /** Whether the process ended. */
  isDead: boolean;
};

export type Stall = { seconds: number; work?: string; namespace?: string; at: string[] };

export type Rig = {
  measure: (attack: Attack, seconds: number) => Promise<Figures>;
  stop: () => Promise<void>;
};

const RATE = 20;
const CONVERSATIONS = 20;
const ANSWERED_WITHIN_MS = 30_000;
const WARM_UP_SEC = 5;
const QUIET_SEC = 6;
/** The attack goes on while the victim's last requests are answered, and no longer than this when it has to end. */
const ENDS_WITHIN_MS = 60_000;

export async function startRig(): Promise<Rig> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-neighbours-'));
  const manifests = path.join(folder, 'manifests');
  await mkdir(manifests);
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      namespace: 'attacker',
      name: CARRIER_SECRET.name,
      labels: { 'parley.dev/allow': 'true' },
    },
    stringData: { [CARRIER_SECRET.key]: CARRIER_TOKEN },
  };
  await writeFile(path.join(manifests, 'carrier.json'), JSON.stringify(secret));
  const log = pino({ level: 'silent' });
  const postgres = createEmbeddedPostgres({ dataDir: folder, log });
  const { url: databaseUrl } = await postgres.start();
  const parley = await startParley({
    dataDir: path.join(folder, 'data'),
    manifests,
    // The default of the API in a cluster. `start` has no limit.
    env: { DATABASE_URL: databaseUrl, PARLEY_RATE_LIMIT: '6000' },
  });
  let isDead = false;
  void parley.exited.then(() => (isDead = true));
  const pool = createPool(databaseUrl, { log, max: 1 });
  const newKey = async (namespace: string, scopes: readonly Scope[]): Promise<string> => {
    const text = newKeyText();
    await insertApiKey(pool, { namespace, scopes, text });
    return text;
  };
  const keys: AttackerKeys = {
    setUp: await newKey('attacker', SCOPES),
    all: await newKey('attacker', SCOPES),
    write: await newKey('attacker', ['write']),
    read: await newKey('attacker', ['read']),
  };
  const ask = await openVictim(parley, await newKey('victim', SCOPES));
  await pool.end();
  await askFor(WARM_UP_SEC, ask);

  return {
    measure: async (attack, seconds) => {
      const quiet = timesOf(await askFor(QUIET_SEC, ask));
      const before = { bytes: residentBytes(parley), stalls: stallsOf(parley).length };
      const attacking = startAttack({ name: attack.name, url: parley.url, keys });
      await attacking.underway;
      const memory = watchMemory(parley);
      const beside = timesOf(await askFor(seconds, ask));
      const grownBytes = memory.stop() - before.bytes;
      const { seen, failure } = await attacking.end();
      return {
        quiet,
        beside,
        grownBytes,
        stalls: stallsOf(parley).slice(before.stalls),
        seen,
        failure,
        isDead,
      };
    },
    stop: async () => {
      await (isDead ? undefined : parley.kill());
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type Asked = { ms: number; isAnswered: boolean };

/** Returns what the victim asks: a page of a list and a message to an agent, in turn. */
async function openVictim(parley: Parley, key: string): Promise<() => Promise<Asked>> {
  const send = async (method: string, route: string, json?: object): Promise<Response> =>
    fetch(parley.url + route, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(ANSWERED_WITHIN_MS),
      ...(json && { body: JSON.stringify(json) }),
    });
  const answered = async (...request: Parameters<typeof send>): Promise<Answer> => {
    const response = await send(...request);
    return { status: response.status, body: await response.json() };
  };
  const create = async (route: string, json: object): Promise<string> =>
    (await createShown(answered, route, json)).id;
  await create('/v1/knowledge/sources', {
    type: 'text',
    text: 'We open at nine and close at six. Parcels to Ireland cost nine pounds.',
  });
  const agentId = await create('/v1/agents', { prompt: 'Sell.', knowledge: { all: true } });
  const conversations: string[] = [];
  while (conversations.length < CONVERSATIONS)
    conversations.push(await create('/v1/conversations', { agent_id: agentId }));
  let turn = 0;
  return async () => {
    turn += 1;
    const conversation = conversations[(turn >> 1) % CONVERSATIONS];
    const startedMs = performance.now();
    const isAnswered = await (
      turn % 2 === 0
        ? send('GET', '/v1/agents?limit=1')
        : send('POST', `/v1/conversations/${conversation}/messages`, { text: 'When do you open?' })
    )
      .then(async (response) => {
        await response.arrayBuffer();
        return response.ok;
      })
      .catch(() => false);
    return { ms: performance.now() - startedMs, isAnswered };
  };
}

const askFor = (seconds: number, ask: () => Promise<Asked>): Promise<Asked[]> =>
  openLoop({ rate: RATE, seconds }, ask);

function timesOf(asked: readonly Asked[]): Times {
  const took = asked.map(({ ms }) => ms);
  return {
    p50: quantile(took, 0.5),
    p95: quantile(took, 0.95),
    errors: asked.filter(({ isAnswered }) => !isAnswered).length,
  };
}

type Ended = Extract<AttackMessage, { type: 'ended' }>;

function startAttack(data: AttackData): { underway: Promise<void>; end: () => Promise<Ended> } {
  const file = new URL('attack-process.ts', import.meta.url);
  // Maps arrive as they are.
  const child = fork(file, [JSON.stringify(data)], { serialization: 'advanced' });
  const underway = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<Ended>();
  const failed = (failure: string): Ended => ({ type: 'ended', seen: new Map(), failure });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      underway.resolve();
      ended.resolve(failed(`It exited with ${signal ?? code}`));
      resolve();
    });
  });
  child.on('message', (message: AttackMessage) => {
    if (message.type === 'ended') ended.resolve(message);
    underway.resolve();
  });
  child.on('error', (error) => ended.resolve(failed(String(error))));
  return {
    underway: underway.promise,
    end: async () => {
      if (child.connected) child.send('end');
      const late = delay(ENDS_WITHIN_MS, failed('It did not end'), { ref: false });
      const result = await Promise.race([ended.promise, late]);
      child.kill('SIGKILL');
      await exited;
      return result;
    },
  };
}

function residentBytes({ pids }: Parley): number {
  try {
    const status = readFileSync(`/proc/${pids.at(-1)}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1_024;
  } catch {
    return 0; // It has ended.
  }
}

function watchMemory(parley: Parley): { stop: () => number } {
  let most = residentBytes(parley);
  const timer = setInterval(() => {
    most = Math.max(most, residentBytes(parley));
  }, 100);
  return {
    stop: () => {
      clearInterval(timer);
      return most;
    },
  };
}

/** Reads them from the log, which says more than the metric: for whom, and where in the code. */
function stallsOf({ output }: Parley): Stall[] {
  return output()
    .split('\n')
    .filter((line) => line.includes('event loop stalled'))
    .map((line) => JSON.parse(line) as Stall);
}
