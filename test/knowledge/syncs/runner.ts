import { createAnnounce } from '../../../src/events/emit-event.ts';
import { createTextCutter } from '../../../src/knowledge/passages/text-cutter.ts';
import { LEASE_TIMES, type LeaseTimes } from '../../../src/knowledge/syncs/hold-lease.ts';
import type { Fetchers } from '../../../src/knowledge/syncs/run-sync.ts';
import { createSyncRunner } from '../../../src/knowledge/syncs/run-syncs.ts';
import { createNotifier } from '../../../src/platform/postgres/notifications.ts';
import { createContext } from '../../../src/roles/context.ts';
import { siteFetcher } from './site.ts';

/** Production times, except that a process looks for syncs more often. Tests end a lease by `shiftTime`. */
export const RUNNER_TIMES = { ...LEASE_TIMES, checkMs: 100, lookMs: 50 };

/** What a process of the operator runs, by itself. */
export function startRunner(
  databaseUrl: string,
  fetchers: Fetchers = { website: siteFetcher },
  times: LeaseTimes = RUNNER_TIMES,
): { stop: () => Promise<void> } {
  const context = createContext({
    role: 'operator',
    databaseUrl,
    encryptionKey: Buffer.alloc(32, 1),
    egressAllow: ['127.0.0.0/8'],
    logLevel: 'fatal',
    poolMax: 5,
  });
  const notifier = createNotifier(context);
  const cutter = createTextCutter({ ...context, waitingMax: { namespace: 16, all: 16 } });
  const runner = createSyncRunner({
    ...context,
    notifier,
    announce: createAnnounce({ ...context, notifier }),
    cutter,
    fetchers,
    namespaces: [],
    times,
    nowMs: Date.now,
  });
  runner.start();
  return {
    stop: async () => {
      await runner.stop();
      await cutter.stop();
      await notifier.stop();
      await context.close();
    },
  };
}
