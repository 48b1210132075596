import { runApi } from '../../../src/roles/api/run.ts';
import { addPools, meanwhile } from '../passing-time.ts';
import type { PhoneFixture } from './phone-setup.ts';
import { startStandIn, type StandIn } from './stand-in-carrier.ts';

type Options = Partial<Parameters<typeof runApi>[0]>;

/** Starts a second API, like another pod, with a carrier that calls that one. */
export async function startAnother(
  { api: { engine } }: Pick<PhoneFixture, 'api'>,
  options: Options = {},
): Promise<{ url: string; carrier: StandIn; stop: () => Promise<void> }> {
  const listen = { host: '127.0.0.1', port: 0, fallbackToFreePort: false, serveHealth: true };
  const api = await runApi({ ...engine, ...listen, rateLimit: 0, ...options });
  const removePools = addPools(api.conversations.pool, api.conversations.batchPool);
  const carrier = await startStandIn(api.url);
  return {
    url: api.url,
    carrier,
    stop: async () => {
      await meanwhile(api.stop());
      removePools();
      await carrier.stop();
    },
  };
}
