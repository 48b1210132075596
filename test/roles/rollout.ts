import { freePort } from '../free-port.ts';
import { runMigrations, startRole, type Parley } from './parley-process.ts';
import { startServiceSwitch, type Pod, type ServiceSwitch } from './service-switch.ts';

/** Installation whose pods are replaced one by one, as the chart's Deployments do. */
export type Rollout = {
  /** Address of the API's Service. */
  url: string;
  apiKey: () => string;
  /** Starts all pods of this tree, on a database that it has migrated. */
  start: (tree: string) => Promise<void>;
  /** Runs `parley migrate` of a tree twice concurrently, like the init containers of two pods. */
  migrate: (tree: string) => Promise<void>;
  /** Starts a new pod before it stops an old one (`maxUnavailable: 0`), until all pods run this tree. */
  roll: (tree: string) => Promise<void>;
  /** Returns the errors that all pods have logged so far, and all exit codes other than 0. */
  complaints: () => readonly string[];
  stop: () => Promise<void>;
};

type Role = 'delivery' | 'operator' | 'api';
type RunningPod = { role: Role; tree: string; process: Parley; service: Pod | undefined };

/** Replicas as in the chart, but without the operator's standby, which each roll has for a moment anyway. */
const REPLICAS = { delivery: 2, operator: 1, api: 2 } as const;
const ROLES = ['delivery', 'operator', 'api'] as const;
const MIGRATIONS_AT_ONCE = 2;
/** pino's level of errors. */
const ERROR = 50;

/**
 * Creates an installation.
 * @param options.beside called between two steps, and resolves when enough work was done meanwhile. One such time is
 * before a pod that gets no new connections must stop, where the chart's preStop hook waits. The other is while both
 * versions share the work of a role
 */
export async function createRollout(options: {
  databaseUrl: string;
  beside: () => Promise<void>;
}): Promise<Rollout> {
  const { databaseUrl, beside } = options;
  const service: ServiceSwitch = await startServiceSwitch();
  const complaints: string[] = [];
  let pods: RunningPod[] = [];

  async function migrate(tree: string): Promise<void> {
    const pod = (): Promise<void> => runMigrations(databaseUrl, tree);
    await Promise.all(Array.from({ length: MIGRATIONS_AT_ONCE }, pod));
  }

  async function startPod(role: Role, tree: string): Promise<void> {
    const port = await freePort();
    const env = {
      PARLEY_PORT: String(port),
      PARLEY_BASE_URL: service.url,
      PARLEY_RATE_LIMIT: '0',
    };
    const process = await startRole(role, { databaseUrl, env, tree });
    const at = role === 'api' ? { port, readyUrl: `${process.url}/readyz` } : undefined;
    pods.push({ role, tree, process, service: at });
    if (at) await service.add(at);
  }

  async function retire(pod: RunningPod): Promise<void> {
    pods = pods.filter((other) => other !== pod);
    if (pod.service) {
      service.remove(pod.service);
      await beside();
    }
    const [code] = await pod.process.stop();
    if (code !== 0) complaints.push(`${pod.role} of ${pod.tree} exited with ${code}`);
    complaints.push(...errorsOf(pod));
  }

  return {
    url: service.url,
    apiKey: () => pods[0]!.process.apiKey,
    start: async (tree) => {
      await runMigrations(databaseUrl, tree);
      for (const role of ROLES) {
        for (let i = 0; i < REPLICAS[role]; i += 1) await startPod(role, tree);
      }
    },
    migrate,
    roll: async (tree) => {
      for (const role of ROLES) {
        const old = pods.filter((pod) => pod.role === role && pod.tree !== tree);
        for (const pod of old) {
          await startPod(role, tree);
          await retire(pod);
          // Half of the pods are new now. With a single pod, there is no such moment.
          if (pod !== old.at(-1)) await beside();
        }
      }
    },
    complaints: () => [...complaints, ...pods.flatMap(errorsOf)],
    stop: async () => {
      await Promise.all(pods.map(({ process }) => process.stop()));
      await service.stop();
    },
  };
}

function errorsOf({ role, tree, process }: RunningPod): string[] {
  return process
    .output()
    .split('\n')
    .filter((line) => isError(line))
    .map((line) => `${role} of ${tree}: ${line.slice(0, 2_000)}`);
}

/** Returns whether a line of output is an error. Output that is not a log line counts as one. */
function isError(line: string): boolean {
  if (line === '') return false;
  try {
    const { level } = JSON.parse(line) as { level?: unknown };
    return typeof level !== 'number' || level >= ERROR;
  } catch {
    return true;
  }
}
