import { clearTimeout, setTimeout } from '../../clock.ts';
import { createSingleFlight } from '../controller/single-flight.ts';
import type { Logger } from '../observability/logger.ts';
import { reasonOf } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import { createClient, type Db, type Pool } from './pool.ts';
import type { Session } from './session.ts';
import { endClient } from './silent-connections.ts';

/**
 * Wake-ups between processes over LISTEN/NOTIFY. A wake-up only saves time: listeners also poll, so a lost one costs
 * the poll interval and nothing else. Therefore sends happen after the commit, are coalesced, and nobody waits for
 * them. NOTIFY inside the producing transaction would serialize all commits behind one lock.
 */
export const CHANNELS = {
  /** Payload: uuids of endpoints with new deliveries, comma-separated; `*` means all. */
  deliveries: 'parley_deliveries',
  /** Payload: namespaces with new events, comma-separated; `*` means all. */
  events: 'parley_events',
  /** Payload: uuids of conversations with new turns, another status or a canceled turn; `*` means all. */
  conversations: 'parley_conversations',
  /** Payload: uuids of calls with work for their line; `*` means all. */
  calls: 'parley_calls',
  /** A declared object changed. No payload. */
  resources: 'parley_resources',
  /** Payload: uuids of API keys and sessions that ended or got an end; `*` means all. */
  keys: 'parley_keys',
  /**
   * Payload: the resource that was projected or removed (projected.ts), with its uid, and for a ModelProvider also its
   * id. `*` means all.
   */
  projected: 'parley_projected',
} as const;
export type Channel = (typeof CHANNELS)[keyof typeof CHANNELS];

/** PostgreSQL refuses payloads of 8,000 bytes or more. Items are ASCII. */
const PAYLOAD_BYTES_MAX = 7_999;
/** Less than the second for which a session may be gone before its process counts as dead. */
const RECONNECT_MS = 250;

export type Notifier = {
  /** Sends soon: immediately when idle, otherwise together with all other items that arrive during a send. */
  notify: (channel: Channel, items: readonly string[]) => void;
  /** Waits for a send in flight. */
  stop: () => Promise<void>;
};

export function createNotifier(deps: { pool: Pool; log: Logger }): Notifier {
  const waiting = new Map<Channel, Set<string>>();

  const sending = createSingleFlight(async () => {
    // Callers answered by one commit continue in microtasks, so one send after the last of those is enough.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    const batch = [...waiting].map(([channel, items]) => [channel, payloadOf(items)] as const);
    waiting.clear();
    try {
      await failpoint('notify.sending');
      await deps.pool.query({
        name: 'notify',
        // The commit need not wait for the disk: a crash of the server also ends all listeners.
        text: `select pg_notify(c, p)
                 from (select set_config('synchronous_commit', 'off', true)) lazily,
                      unnest($1::text[], $2::text[]) as n (c, p)`,
        values: [batch.map(([channel]) => channel), batch.map(([, payload]) => payload)],
      });
    } catch (error) {
      deps.log.debug({ reason: reasonOf(error) }, 'a wake-up was not sent; polling covers it');
    }
  });

  return {
    notify: (channel, items) => {
      if (items.length === 0) return;
      const set = waiting.get(channel) ?? new Set();
      for (const item of items) set.add(item);
      waiting.set(channel, set);
      sending.trigger();
    },
    stop: sending.idle,
  };
}

export type Listener = { start: () => Promise<void>; stop: () => Promise<void> };

/**
 * Listens to the given channels on a connection of its own, and reconnects if it is lost. After a reconnect it calls
 * `onWake` with `*` on every channel, because wake-ups may have been missed.
 */
export function createListener(deps: {
  databaseUrl: string;
  channels: Partial<Record<Channel, (items: readonly string[]) => void>>;
  /** Called with each new connection, before it listens. */
  onSession?: (session: Db) => Promise<void>;
  log: Logger;
}): Listener {
  let client: Session | undefined;
  let retry: NodeJS.Timeout | undefined;
  let stopped = true;
  // Object.entries widens its keys, which are those of the parameter's type.
  const handlers = new Map(
    Object.entries(deps.channels) as [Channel, (i: readonly string[]) => void][],
  );

  async function connect(): Promise<void> {
    const fresh = createClient(deps.databaseUrl);
    fresh.on('error', () => void fresh.end().catch(() => undefined));
    fresh.on('end', () => again(fresh));
    fresh.on('notification', ({ channel, payload }) => {
      handlers.get(channel as Channel)?.((payload ?? '').split(',').filter(Boolean));
    });
    client = fresh;
    try {
      await fresh.connect();
      await deps.onSession?.(fresh);
      for (const channel of handlers.keys()) await fresh.query(`listen ${channel}`);
    } catch (error) {
      void fresh.end().catch(() => undefined);
      throw error;
    }
    for (const onWake of handlers.values()) onWake(['*']);
  }

  function again(lost: Session): void {
    if (stopped || client !== lost || retry) return;
    deps.log.debug('the wake-up connection was lost; polling covers it');
    retry = setTimeout(() => {
      retry = undefined;
      connect().catch(() => client && again(client));
    }, RECONNECT_MS);
  }

  return {
    start: async () => {
      stopped = false;
      await connect();
    },
    stop: async () => {
      stopped = true;
      clearTimeout(retry);
      if (client) await endClient(client).catch(() => undefined);
    },
  };
}

function payloadOf(items: ReadonlySet<string>): string {
  if (items.has('*')) return '*';
  const payload = [...items].join(',');
  return payload.length > PAYLOAD_BYTES_MAX ? '*' : payload;
}
