import { readFileSync } from 'node:fs';
import { startDeliveryFixture, type DeliveryFixture } from '../../delivery-setup.ts';
import { startRole, type Parley } from '../../../roles/parley-process.ts';
import type { DeliveryRow } from '../../../../src/webhooks/queue/deliveries.sql.ts';

/** A delivery fixture whose deliveries are made by a real process, which a bad receiver could end or fill. */
export type DeliveryProcess = {
  fixture: DeliveryFixture;
  process: Parley;
  /** The delivery of one event to this URL alone, once its first attempt is over. */
  deliverTo: (url: string) => Promise<DeliveryRow>;
  /** Resident memory in MB. @throws when the process is gone */
  memoryMb: () => number;
  stop: () => Promise<void>;
};

/** The key that startEngine seals with. */
const ENCRYPTION_KEY = Buffer.alloc(32, 1).toString('base64');

export async function startDeliveryProcess(
  env: Record<string, string> = {},
): Promise<DeliveryProcess> {
  const fixture = await startDeliveryFixture();
  const process = await startRole('delivery', {
    databaseUrl: fixture.databaseUrl,
    env: { PARLEY_ENCRYPTION_KEY: ENCRYPTION_KEY, ...env },
  });
  let namespaces = 0;
  return {
    fixture,
    process,
    deliverTo: async (url) => {
      namespaces += 1;
      const namespace = `alone-${namespaces}`;
      await fixture.addEndpoint({ url, namespace });
      const eventId = await fixture.emit({ namespace });
      return fixture.deliveryWhen(
        eventId,
        ({ status, attempts }) => status !== 'pending' && attempts.length > 0,
      );
    },
    memoryMb: () => {
      const status = readFileSync(`/proc/${process.pids[0]}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024;
    },
    stop: async () => {
      await process.stop();
      await fixture.stop();
    },
  };
}
