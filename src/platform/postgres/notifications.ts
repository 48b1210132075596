import { clearTimeout, setTimeout } from '../../clock.ts';
import { createSingleFlight } from '../controller/single-flight.ts';
import type { Logger } from '../observability/logger.ts';
import { reasonOf } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import { createClient, type Db, type Pool } from './pool.ts';
import type { Session } from './session.ts';
import { endClient } from './silent-connections.ts';

/**
 * Notifications with which processes wake each other up over LISTEN/NOTIFY. They only save time: listeners also poll,
 * so a lost notification costs at most the polling interval. Notifications are therefore sent after the commit, are
 * coalesced, and are never awaited. NOTIFY inside the producing transaction would serialize all commits behind one
 * lock.
 */
export const CHANNELS = {
  /** Payload: comma-separated UUIDs of endpoints with new deliveries, or `*` for all. */
  deliveries: 'parley_deliveries',
  /** Payload: comma-separated namespaces with new events, or `*` for all. */
  events: 'parley_events',
  /** Payload: UUIDs of conversations with new turns, a new status or a canceled turn, or `*` for all. */
  conversations: 'parley_conversations',
  /** Payload: UUIDs of calls that have new work for the process that handles them, or `*` for all. */
  calls: 'parley_calls',
  /** Sent when a declared object has changed. No payload. */
  resources: 'parley_resources',
  /** Payload: UUIDs of API keys and sessions that have ended or been given an end time, or `*` for all. */
  keys: 'parley_keys',
  /**
   * Payload: declared objects whose rows have changed or were removed, each in the form of `projectedItem`
   * (projected.ts). An object may also be listed in a second form, such as its uid alone. `*` means all objects.
   */
  projected: 'parley_projected',
} as const;
export type Channel = (typeof CHANNELS)[keyof typeof CHANNELS];

/** PostgreSQL rejects payloads of 8,000 bytes or more. Items are ASCII, so characters and bytes are the same. */
const PAYLOAD_BYTES_MAX = 7_999;
/**
 * Time in ms before a reconnect. It is shorter than one second, after which a process without a database session counts
 * as dead.
 */
const RECONNECT_MS = 250;

export type Notifier = {
  /**
   * Sends the items. If a send is already in progress, the items wait until it has ended, and are then sent together
   * with all others that have arrived by then.
   */
  notify: (channel: Channel, items: readonly string[]) => void;
  /** Resolves when the send in progress has ended. */
  stop: () => Promise<void>;
};

export function createNotifier(deps: { pool: Pool; log: Logger }): Notifier {
  const waiting = new Map<Channel, Set<string>>();

  const sending = createSingleFlight(async () => {
    // One commit may resolve the promises of many callers. Each of them continues in a microtask and adds its items.
    // Waiting for these microtasks makes it possible to send all of the items at once.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    // A run may have nothing to send. The `notify` calls in these microtasks request another run, although this run
    // already sends their items.
    if (waiting.size === 0) return;
    const batch = [...waiting].map(([channel, items]) => [channel, payloadOf(items)] as const);
    waiting.clear();
    try {
      await failpoint('notify.sending');
      await deps.pool.query({
        name: 'notify',
        // This commit does not wait for the disk. A server crash loses the notification, but it also disconnects all
        // listeners. They are woken with `*` after they reconnect, so no wake-up is lost.
        text: `select pg_notify(c, p)
                 from (select set_config('synchronous_commit', 'off', true)) lazily,
                      unnest($1::text[], $2::text[]) as n (c, p)`,
        values: [batch.map(([channel]) => channel), batch.map(([, payload]) => payload)],
      });
    } catch (error) {
      deps.log.debug(
        { reason: reasonOf(error) },
        'could not send a notification; polling will find the changes',
      );
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
 * Listens to the given channels on its own connection, and reconnects if the connection is lost. After a reconnect it
 * calls `onWake` with `*` on every channel, because notifications may have been missed.
 */
export function createListener(deps: {
  databaseUrl: string;
  channels: Partial<Record<Channel, (items: readonly string[]) => void>>;
  /** Called with each new connection before it starts to listen. */
  onSession?: (session: Db) => Promise<void>;
  log: Logger;
}): Listener {
  let client: Session | undefined;
  let retry: NodeJS.Timeout | undefined;
  let stopped = true;
  // The cast restores the key type, which `Object.entries` widens to string.
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
    deps.log.debug('lost the connection for notifications; polling until it reconnects');
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
