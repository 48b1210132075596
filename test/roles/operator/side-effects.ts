import type { KubeClient, KubeRequest } from '../../../src/platform/kubernetes/client.ts';
import type { Pool } from '../../../src/platform/postgres/pool.ts';

/**
 * The side effects of an operator are all its external effects in sequence: each request that writes to the API server,
 * and each statement sent to PostgreSQL. A process may die or pause between any two of them. A `Strike` selects the
 * place, so that src/ needs no failpoints for it.
 */
export type Strike = {
  /** Counts only side effects of this kind. If absent, counts all. */
  kind?: string;
  /** Position of the side effect, counted from the next one, which is 1. */
  nth: number;
  when: 'before' | 'after';
  signal: 'SIGKILL' | 'SIGSTOP';
};

/** Order that is sent to the process by IPC. `lag` holds back the watch events of Parley's kinds. */
export type Order = { strike: Strike } | { lag: boolean };

/** Report of the process, printed as one JSON object per line. */
export type Report =
  | { effect: string }
  | { struck: Strike }
  | { lags: boolean }
  | { leading: number }
  | { follows: true }
  | { ready: true };

export type SideEffects = {
  /** Executes an order. A new strike replaces the armed one. */
  obey: (order: Order) => void;
  pool: (pool: Pool) => Pool;
  client: (client: KubeClient) => KubeClient;
};

/**
 * Creates the wrappers that count side effects.
 * @param report must have written the report when it returns, because the process may end immediately afterwards
 */
export function createSideEffects(report: (report: Report) => void): SideEffects {
  let armed: { strike: Strike; left: number } | undefined;
  let gate = Promise.resolve();
  let openGate = (): void => undefined;

  /** Returns the armed strike if this side effect is its target, and disarms it. */
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

  /** Returns a proxy of the object whose `query` counts side effects. */
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
    // src/platform/postgres/transaction.ts calls `connect` only without a callback.
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

/** Delays each event while the gate is closed. An abort takes effect even then. */
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

/** Returns a part of the statement that identifies it. */
function titleOf(statement: Statement): string {
  if (typeof statement !== 'string' && statement.name !== undefined) return statement.name;
  const text = typeof statement === 'string' ? statement : statement.text;
  return text.replaceAll(/\s+/g, ' ').replaceAll(/\d+/g, 'N').trim().slice(0, 70);
}

/** Returns the kind of a request, such as `PATCH agents/status`. */
function kindOf({ method, path }: KubeRequest): string {
  const [, plural = path, subresource = ''] =
    /\/namespaces\/[^/]+\/([^/]+)(?:\/[^/]+(\/[^/]+)?)?$/.exec(path) ?? [];
  return `${method} ${plural}${subresource}`;
}
