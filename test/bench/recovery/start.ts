import { freePort } from '../../free-port.ts';
import { startParley, temporaryFolder } from '../../roles/parley-process.ts';
import { startReceiver } from '../../webhooks/receiver.ts';
import type { Bounds } from '../bounds.ts';
import { timed } from '../figures.ts';
import { answers, bareProcess, inRounds } from './rounds.ts';

/** `parley start`, killed and started again, then stopped with a reader and an attempt that do not end. */

const ROUNDS = 3;

export async function benchStart(bounds: Bounds): Promise<void> {
  const folder = await temporaryFolder();
  const receiver = await startReceiver();
  receiver.answer(() => undefined);
  const env = { PARLEY_PORT: String(await freePort()), PARLEY_EGRESS_ALLOW: '127.0.0.0/8' };
  let parley = await startParley({ dataDir: folder.path, env });
  try {
    bounds.baseline('node -e 0', await inRounds(5, bareProcess));
    const { body: endpoint } = await parley.call('POST', '/v1/webhooks', { url: receiver.url });
    const stopped: number[] = [];
    const started = await inRounds(ROUNDS, async (round) => {
      await parley.kill();
      const tookMs = await timed(async () => {
        parley = await startParley({ dataDir: folder.path, env });
        await answers(parley, 200, ['GET', '/v1/agents']);
      });
      const headers = { authorization: `Bearer ${parley.apiKey}` };
      const reader = await fetch(`${parley.url}/v1/events/stream`, { headers });
      void reader.text().catch(() => undefined);
      await parley.call('POST', `/v1/webhooks/${endpoint.id}/test`);
      await receiver.until(({ length }) => length > round);
      stopped.push(await timed(() => expectOrder(parley.stop())));
      parley = await startParley({ dataDir: folder.path, env });
      return tookMs;
    });
    bounds.check({ what: '`start` is killed, and started → 200', times: started, p50Ms: 3_000 });
    bounds.check({
      what: 'SIGTERM with a reader and an open attempt → exit code 0',
      times: stopped,
      worstMs: 25_000,
    });
  } finally {
    await parley.stop();
    await receiver.close();
    await folder.remove();
  }
}

async function expectOrder(ended: Promise<(number | null)[]>): Promise<void> {
  const codes = await ended;
  if (codes.some((code) => code !== 0)) throw new Error(`exit codes ${codes.join()}`);
}
