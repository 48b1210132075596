import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { LedgerEndpoint } from '../webhooks/ledger/ledger-entries.ts';
import type { RoleProcesses } from '../webhooks/ledger/role-processes.ts';
import type { Answering } from '../webhooks/ledger/ledger-receiver.ts';
import type { Recorder } from '../webhooks/ledger/ledger-recorder.ts';
import type { Ledger } from '../webhooks/ledger/ledger.ts';
import type { OwnPostgres } from '../platform/postgres/own-postgres.ts';
import type { Answer } from '../roles/parley-process.ts';
import type { Seeded } from '../random/seeded.ts';

/** What goes wrong in a soak. Each fault resolves when what it stopped or killed is there again. */
export type Faults = {
  names: readonly FaultName[];
  /** Resolves to what was done, in words. */
  strike: (name: FaultName) => Promise<string>;
  /** Deliveries that replays were asked for, which come a second time. */
  replayed: () => number;
  /** Ends what lasts: every endpoint answers again. */
  heal: () => Promise<void>;
};

export type FaultName = keyof ReturnType<typeof createKinds>;

export type FaultDeps = {
  seeded: Seeded;
  roles: RoleProcesses;
  postgres: OwnPostgres;
  ledger: Ledger;
  recorders: readonly Recorder[];
  endpoints: readonly LedgerEndpoint[];
  call: (method: 'GET' | 'POST', route: string, options?: CallOptions) => Promise<Answer>;
};

export type CallOptions = { json?: unknown; key?: string };

const PAUSED_MS = 5_000;
/** So many endpoints of a hundred fail at once. */
const SHARE_FAILING = 10;
const FAILING_MS = { from: 10_000, to: 40_000 };
const FLAP_MS = 1_000;
const REPLAYED_SEC = 120;
const OVERLAP_SEC = 5;
const RETRY_MS = 500;
const TRIES = 60;

export function createFaults(deps: FaultDeps): Faults {
  const lasting = new Set<() => Promise<void>>();
  const tally = { replayed: 0 };
  const kinds = createKinds(deps, { lasting, tally });
  return {
    // Written above.
    names: Object.keys(kinds) as FaultName[],
    strike: (name) => kinds[name](),
    replayed: () => tally.replayed,
    heal: async () => {
      for (const end of lasting) await end();
    },
  };
}

function createKinds(
  deps: FaultDeps,
  state: { lasting: Set<() => Promise<void>>; tally: { replayed: number } },
) {
  const { seeded, roles, postgres, recorders } = deps;
  const pause = async (name: string): Promise<string> => {
    const { pid } = roles.get(name);
    process.kill(pid, 'SIGSTOP');
    await delay(PAUSED_MS); // How long it stands still.
    process.kill(pid, 'SIGCONT');
    return `${name} stood still for 5 s`;
  };
  const restart = async (name: string): Promise<string> => {
    await roles.kill(name);
    await roles.start(name);
    return `${name} killed and started again`;
  };
  const failing = (answering: Answering, what: string): Promise<string> =>
    letFail(deps, state.lasting, { what, answers: [answering] });
  return {
    'delivery killed': () => restart('delivery'),
    'api killed': () => restart('api'),
    'postgres killed': async () => {
      await postgres.kill('SIGKILL');
      return 'PostgreSQL killed; it is back';
    },
    paused: () => pause(seeded.pick(['delivery', 'delivery-elder', 'api', 'api-elder'])),
    hanging: () => failing({ hang: true }, 'hang'),
    'answering 503': () => failing({ status: 503 }, 'answer 503'),
    flapping: () =>
      letFail(deps, state.lasting, { what: 'flap', answers: [{ status: 500 }, { status: 200 }] }),
    'port closed': async () => {
      const recorder = seeded.pick(recorders);
      await recorder.close();
      await delay(PAUSED_MS); // How long it is closed.
      await recorder.open();
      return 'a receiver refused connections for 5 s';
    },
    'connections cut': async () => {
      const rows = await postgres.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where backend_type = 'client backend' and pid <> pg_backend_pid() and random() < 0.7`,
      );
      return `${rows.length} connections to PostgreSQL cut`;
    },
    replay: () => replay(deps, state.tally),
    'secret rotated': () => rotate(deps),
  };
}

/** Some endpoints fail for a while, answers in turn; the fault is over when that has begun. */
async function letFail(
  { seeded, endpoints }: FaultDeps,
  lasting: Set<() => Promise<void>>,
  { what, answers }: { what: string; answers: readonly Answering[] },
): Promise<string> {
  const count = Math.max(1, Math.ceil((endpoints.length * SHARE_FAILING) / 100));
  const chosen = seeded.shuffled(endpoints).slice(0, count);
  const lastsMs = FAILING_MS.from + seeded.below(FAILING_MS.to - FAILING_MS.from);
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), lastsMs);
  const failing = (async () => {
    for (let round = 0; !over.signal.aborted; round += 1) {
      await setAnswer(chosen, answers[round % answers.length]!);
      await delay(FLAP_MS, undefined, { signal: over.signal }).catch(() => undefined);
    }
    await setAnswer(chosen, { status: 200 });
  })();
  const end = async (): Promise<void> => {
    clearTimeout(timer);
    over.abort();
    await failing;
  };
  lasting.add(end);
  void failing.finally(() => lasting.delete(end));
  return `${count} endpoints ${what} for ${Math.round(lastsMs / 1_000)} s`;
}

/** With all that an answer can be said of: what was set before must not stay. */
async function setAnswer(
  endpoints: readonly LedgerEndpoint[],
  answering: Answering,
): Promise<void> {
  for (const { recorder, path } of endpoints) await recorder.answer(path, answering);
}

/** What an endpoint was sent of late comes again: each of these is a duplicate that is explained. */
async function replay(
  { seeded, endpoints, call }: FaultDeps,
  tally: { replayed: number },
): Promise<string> {
  const { id } = seeded.pick(endpoints);
  const since = Math.floor(Date.now() / 1_000) - REPLAYED_SEC;
  const json = { since, mode: 'all' };
  const { body } = await answered(call, `/v1/webhooks/${id}/replay`, json);
  const total = Number(body.progress?.total ?? 0);
  tally.replayed += total;
  return `a replay of ${total} events`;
}

async function rotate({ seeded, endpoints, call, ledger }: FaultDeps): Promise<string> {
  const endpoint = seeded.pick(endpoints);
  const route = `/v1/webhooks/${endpoint.id}/rotate_secret`;
  const { body } = await answered(call, route, { overlap_sec: OVERLAP_SEC });
  if (typeof body.secret === 'string') await ledger.addSecret(endpoint, body.secret);
  return typeof body.secret === 'string' ? 'a secret rotated' : `no rotation: ${body.code}`;
}

/** Repeated under one key: a secret that nobody learns of would make every signature look wrong. */
async function answered(call: FaultDeps['call'], route: string, json: unknown): Promise<Answer> {
  const key = randomUUID();
  for (let tries = 1; ; tries += 1) {
    const answer = await call('POST', route, { json, key }).catch(() => undefined);
    const isInProgress = answer?.body?.code === 'idempotency_in_progress';
    if (answer !== undefined && answer.status < 500 && !isInProgress) return answer;
    if (tries === TRIES) throw new Error(`${route} is not answered: ${answer?.status}`);
    await delay(RETRY_MS);
  }
}
