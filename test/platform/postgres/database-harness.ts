import { readFileSync } from 'node:fs';
import { startFaultProxy, type FaultProxy } from '../fault-proxy.ts';
import { startRoles, type Answer, type Parley } from '../../roles/parley-process.ts';
import { startReceiver, type Receiver } from '../../webhooks/receiver.ts';

/**
 * The three roles as processes on one database, reached through proxies that can fail, and a receiver that records. The
 * faults of a test do not reach the receiver.
 */
export type DatabaseHarness = {
  /** The connections of the API and the operator to PostgreSQL, and those of the delivery process. */
  database: FaultProxy;
  deliveryDatabase: FaultProxy;
  receiver: Receiver;
  endpointId: string;
  apiKey: string;
  url: string;
  call: Parley['call'];
  /** Emits one event and resolves to its id. */
  emit: () => Promise<string>;
  /** Starts callers that send one event after the other until stopped. */
  produce: (options?: { callers?: number; pauseMs?: number }) => Producer;
  /** Resolves to the time of the first arrival of this event. */
  arrived: (eventId: string, timeoutMs?: number) => Promise<number>;
  /** Resolves when all of these events have arrived. Rejects with the missing ones. */
  allArrived: (ids: Iterable<string>, timeoutMs?: number) => Promise<void>;
  /** Returns the CPU seconds since the start. */
  deliveryCpuSec: () => number;
  /** Returns the roles that have stopped. */
  exits: () => string[];
  stop: () => Promise<void>;
};

type TimedAnswer = { status: number; retryAfter: string | null; sentMs: number; atMs: number };

export type Producer = {
  /** The time of each 2xx answer, by event id. */
  accepted: Map<string, number>;
  answers: TimedAnswer[];
  /** Returns answers other than 202 and 503 with Retry-After. */
  odd: () => TimedAnswer[];
  /** Resolves to the time of the first 2xx after this moment. */
  acceptedAfter: (momentMs: number) => Promise<number>;
  /** Resolves once `check` returns true. Runs it after each answer. */
  until: (check: (answers: readonly TimedAnswer[]) => boolean) => Promise<void>;
  /** Resolves after this number of further 2xx answers. */
  accepts: (count: number) => Promise<void>;
  stop: () => Promise<void>;
};

const ROLES = ['delivery', 'operator', 'api'];
const GIVE_UP_MS = 30_000;
/** Unit of /proc/<pid>/stat: 100 on every Linux that Node runs on. */
const TICKS_PER_SEC = 100;

export async function startDatabaseHarness(
  databaseUrl: string,
  options: { env?: Record<string, string> } = {},
): Promise<DatabaseHarness> {
  const [database, deliveryDatabase, receiver] = await Promise.all([
    startFaultProxy(databaseUrl),
    startFaultProxy(databaseUrl),
    startReceiver(),
  ]);
  const parley = await startRoles({
    databaseUrl: database.through(databaseUrl),
    env: { PARLEY_RATE_LIMIT: '0', ...options.env },
    envOf: { delivery: { DATABASE_URL: deliveryDatabase.through(databaseUrl) } },
  });
  const { call } = parley;
  const { status, body } = await call('POST', '/v1/webhooks', { url: receiver.url });
  if (status !== 201) throw new Error(`no endpoint: ${status} ${JSON.stringify(body)}`);
  const endpointId = String(body.id);
  const send = (): Promise<Answer> => call('POST', `/v1/webhooks/${endpointId}/test`);
  const allArrived: DatabaseHarness['allArrived'] = async (ids, timeoutMs = GIVE_UP_MS) => {
    const missing = new Set(ids);
    let looked = 0;
    await receiver
      .until((received) => {
        for (; looked < received.length; looked += 1) missing.delete(received[looked]!.json.id);
        return missing.size === 0;
      }, timeoutMs)
      .catch(() => {
        throw new Error(`${missing.size} did not arrive: ${[...missing].slice(0, 5).join(', ')}`);
      });
  };
  return {
    database,
    deliveryDatabase,
    receiver,
    endpointId,
    apiKey: parley.apiKey,
    url: parley.url,
    call,
    emit: async () => {
      const answer = await send();
      if (answer.status !== 202) throw new Error(`not accepted: ${answer.status}`);
      return String(answer.body.event_id);
    },
    produce: (how = {}) => startProducer(send, how),
    arrived: async (eventId, timeoutMs) => {
      await allArrived([eventId], timeoutMs);
      return receiver.received.find(({ json }) => json.id === eventId)!.atMs;
    },
    allArrived,
    deliveryCpuSec: () => cpuSecOf(parley.pids[0]!),
    exits: () => ROLES.filter((_, i) => !isAlive(parley.pids[i]!)),
    stop: async () => {
      // Ends all faults, so that the processes can stop.
      for (const proxy of [database, deliveryDatabase]) {
        proxy.delay(0);
        proxy.accept();
        proxy.resume();
      }
      await parley.stop();
      await Promise.all([receiver.close(), database.stop(), deliveryDatabase.stop()]);
    },
  };
}

function startProducer(
  send: () => Promise<Answer>,
  { callers = 8, pauseMs = 0 }: { callers?: number; pauseMs?: number },
): Producer {
  const accepted: Producer['accepted'] = new Map();
  const answers: Producer['answers'] = [];
  const checks = new Set<() => void>();
  const state = { isStopped: false };
  const caller = async (): Promise<void> => {
    while (!state.isStopped) {
      const sentMs = performance.now();
      // The API survives all of these tests, so there must be an answer.
      const { status, headers, body } = await send();
      const atMs = performance.now();
      answers.push({ status, retryAfter: headers.get('retry-after'), sentMs, atMs });
      if (status === 202) accepted.set(String(body.event_id), atMs);
      for (const check of checks) check();
      const rest = status === 202 ? pauseMs : Math.max(pauseMs, 20);
      if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest)); // A caller's pause.
    }
  };
  const calling = Promise.all(Array.from({ length: callers }, caller));
  const until: Producer['until'] = (check) =>
    new Promise((resolve, reject) => {
      calling.catch(reject);
      const look = (): void => {
        if (!check(answers)) return;
        checks.delete(look);
        resolve();
      };
      checks.add(look);
      look();
    });
  calling.catch(() => undefined); // `stop` throws it.
  return {
    accepted,
    answers,
    odd: () =>
      answers.filter(
        ({ status, retryAfter }) => status !== 202 && !(status === 503 && Number(retryAfter) > 0),
      ),
    acceptedAfter: async (momentMs) => {
      const found = (): TimedAnswer | undefined =>
        answers.find(({ status, atMs }) => status === 202 && atMs >= momentMs);
      await until(() => found() !== undefined);
      return found()!.atMs;
    },
    until,
    accepts: (count) => {
      const enough = accepted.size + count;
      return until(() => accepted.size >= enough);
    },
    stop: async () => {
      state.isStopped = true;
      await calling;
    },
  };
}

function cpuSecOf(pid: number): number {
  // Fields 14 and 15. Field 2 is a name in brackets and may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SEC;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
