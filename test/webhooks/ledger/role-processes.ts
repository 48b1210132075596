import { startRole, type Parley } from '../../roles/parley-process.ts';
import { until } from '../../until.ts';

/** Roles as processes of their own that tests kill and start again, and a note of who ended unasked. */
export type RoleProcesses = {
  /** By name: the process of now. */
  get: (name: string) => RoleProcess;
  /** SIGKILL, unless it is dead by now; resolves when it is. */
  kill: (name: string) => Promise<void>;
  /** In place of one that is dead; `failpoints` as in src/failpoints.ts. */
  start: (name: string, failpoints?: string) => Promise<void>;
  /** Processes that ended though nobody killed them, with their last words. */
  unexpected: () => string[];
  stop: () => Promise<void>;
};

export type RolePlan = {
  name: string;
  role: 'api' | 'delivery' | 'operator';
  env?: Record<string, string>;
};

export type RoleProcess = {
  name: string;
  parley: Parley;
  pid: number;
  /** Counts its starts, from 1. */
  generation: number;
  isDead: boolean;
  /** What it was started with. */
  failpoints: string;
  /** At one of its failpoints. */
  diedByItself: boolean;
  ended: Promise<void>;
};

const TRIES = 20;
const RETRY_MS = 500;
const LAST_WORDS = 2_000;

export async function startRoleProcesses(
  databaseUrl: string,
  plans: readonly RolePlan[],
): Promise<RoleProcesses> {
  const members = new Map<string, RoleProcess & { isKilled: boolean }>();
  const unexpected: string[] = [];
  const get = (name: string): RoleProcess & { isKilled: boolean } => {
    const member = members.get(name);
    if (member === undefined) throw new Error(`there is no ${name}`);
    return member;
  };

  async function start(name: string, failpoints = ''): Promise<void> {
    const plan = plans.find((plan) => plan.name === name)!;
    const parley = await untilStarted(databaseUrl, plan, failpoints);
    const member = {
      name,
      parley,
      pid: parley.pids[0]!,
      generation: (members.get(name)?.generation ?? 0) + 1,
      isDead: false,
      failpoints,
      isKilled: false,
      diedByItself: false,
      ended: Promise.resolve(),
    };
    member.ended = parley.exited.then(([code]) => {
      member.isDead = true;
      if (member.isKilled) return;
      member.diedByItself = true;
      const isArmed = failpoints !== '' && code === null;
      if (!isArmed) unexpected.push(`${name}: ${code}\n${parley.output().slice(-LAST_WORDS)}`);
    });
    members.set(name, member);
  }

  async function stop(): Promise<void> {
    for (const member of members.values()) member.isKilled = true;
    await Promise.all([...members.values()].map(({ parley }) => parley.stop()));
  }

  const started = await Promise.allSettled(plans.map(({ name }) => start(name)));
  const failed = started.find((one) => one.status === 'rejected');
  if (failed !== undefined) {
    await stop();
    throw failed.reason;
  }
  return {
    get,
    start,
    kill: async (name) => {
      const member = get(name);
      member.isKilled = true;
      await member.parley.kill();
      await member.ended;
    },
    unexpected: () => unexpected,
    stop,
  };
}

/** A role that does not find its database ends, and whoever runs it starts it again. */
async function untilStarted(
  databaseUrl: string,
  { role, env = {} }: RolePlan,
  failpoints: string,
): Promise<Parley> {
  let tries = 0;
  return until(
    `${role} to start`,
    async () => {
      tries += 1;
      // Should it die of a failpoint before it is ready, it is started without.
      const armed = tries === 1 && failpoints !== '' ? { PARLEY_FAILPOINTS: failpoints } : {};
      try {
        return await startRole(role, { databaseUrl, env: { ...env, ...armed } });
      } catch (error) {
        if (tries === TRIES) throw error;
        return undefined; // As kubelet backs off.
      }
    },
    { everyMs: RETRY_MS, timeoutMs: Infinity },
  );
}
