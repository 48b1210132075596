import type { KubeClient, KubeRequest } from '../../../src/platform/kubernetes/client.ts';
import type { Pool } from '../../../src/platform/postgres/pool.ts';

/**
 * Everything an operator does outside of itself, one after the other: each request that
 * writes to the API server, each statement sent to PostgreSQL. Between any two of them a process
 * may die or fall asleep; a `Strike` says between which, so that no failpoint stands in src/.
 */
export type Strike = {
  /** Counts only these; all side effects when absent. */
  kind?: string;
  /** 1 is the next one. */
  nth: number;
  when: 'before' | 'after';
  signal: 'SIGKILL' | 'SIGSTOP';
};

/** What the process gets by IPC. `lag`: it gets no news of our kinds. */
export type Order = { strike: Strike } | { lag: boolean };

/** What the process reports, one JSON object a line. */
export type Report =
  | { effect: string }
  | { struck: Strike }
  | { lags: boolean }
  | { leading: number }
  | { follows: true }
  | { ready: true };

export type SideEffects = {
  /** A strike replaces the one that was armed before. */
  obey: (order: Order) => void;
  pool: (pool: Pool) => Pool;
  client: (client: KubeClient) => KubeClient;
};

/** @param report must have written when it returns: the next thing may be the end. */
export function createSideEffects(report: (report: Report) => void): SideEffects {
  let armed: { strike: Strike; left: number } | undefined;
  let gate = Promise.resolve();
  let openGate = (): void => undefined;

  /** Whether this is the one; then it is so only once. */
  function takeStrike(kind: string): Strike | undefined {
    if (!armed || (armed.strike.kind ?? kind) !== kind) return undefined;
    armed.left -= 1;
    if (armed.left > 0) return undefined;
    const { strike } = armed;
    armed = undefined;
    return strike;
  }

  function suffer(strike: Strike): void {
    report({ struck: strike });
    process.kill(process.pid, strike.signal);
  }

  async function around<T>(kind: string, effect: () => Promise<T>): Promise<T> {
    const strike = takeStrike(kind);
    report({ effect: kind });
    if (strike?.when === 'before') suffer(strike);
    try {
      return await effect();
    } finally {
      if (strike?.when === 'after') suffer(strike);
    }
  }

  /** The same object, but for `query`. */
  const counted = <T extends Pick<Pool, 'query'>>(db: T, more: Partial<T> = {}): T =>
    new Proxy(db, {
      get: (target, property) => {
        if (property === 'query') {
          return (statement: Statement, ...values: unknown[]) =>
            around(`sql: ${titleOf(statement)}`, () =>
              Reflect.apply(target.query, target, [statement, ...values]),
            );
        }
        const value: unknown = Reflect.get(more, property) ?? Reflect.get(target, property);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });

  return {
    obey: (order) => {
      if ('strike' in order) {
        armed = { strike: order.strike, left: order.strike.nth };
        return;
      }
      openGate();
      if (order.lag) gate = new Promise((resolve) => (openGate = resolve));
      report({ lags: order.lag });
    },
    // Only called without a callback, in src/platform/postgres/transaction.ts.
    pool: (pool) => {
      const connect = async () => counted(await pool.connect());
      return counted(pool, { connect });
    },
    client: (client) => ({
      ...client,
      request: (call) =>
        call.method === 'GET'
          ? client.request(call)
          : around(kindOf(call), () => client.request(call)),
      stream: async (call) => {
        const events = await client.stream(call);
        return call.path.includes('/parley.dev/')
          ? delayed(events, call.signal, () => gate)
          : events;
      },
    }),
  };
}

/** Holds each event up while the gate is closed; an abort is heard all the same. */
async function* delayed(
  events: AsyncIterable<unknown>,
  signal: AbortSignal,
  gate: () => Promise<void>,
): AsyncIterable<unknown> {
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  for await (const event of events) {
    await Promise.race([gate(), aborted]);
    if (signal.aborted) throw new Error('the watch was given up');
    yield event;
  }
}

type Statement = string | { name?: string; text: string };

/** Enough of a statement to know it again. */
function titleOf(statement: Statement): string {
  if (typeof statement !== 'string' && statement.name !== undefined) return statement.name;
  const text = typeof statement === 'string' ? statement : statement.text;
  return text.replaceAll(/\s+/g, ' ').replaceAll(/\d+/g, 'N').trim().slice(0, 70);
}

/** `PATCH agents/status` */
function kindOf({ method, path }: KubeRequest): string {
  const [, plural = path, subresource = ''] =
    /\/namespaces\/[^/]+\/([^/]+)(?:\/[^/]+(\/[^/]+)?)?$/.exec(path) ?? [];
  return `${method} ${plural}${subresource}`;
}
