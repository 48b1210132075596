import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { createParleyClient, type ParleyClient } from '../../../packages/client/src/client.ts';
import { freePort } from '../../free-port.ts';

type Running = {
  url: string;
  /** The link that signs in once. */
  dashboard: string;
  apiKey: string;
  client: ParleyClient;
  stop: () => Promise<void>;
};

/** `npm start` with its data in `dataDir`, as somebody has it who has just cloned this. */
export async function startParley(dataDir: string): Promise<Running> {
  const root = path.resolve(import.meta.dirname, '../../..');
  const child = spawn(process.execPath, [path.join(root, 'bin/bootstrap.mjs'), 'start'], {
    env: { ...process.env, PARLEY_DATA_DIR: dataDir, PARLEY_PORT: String(await freePort()) },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const lines = createInterface({ input: child.stdout });
  const [line] = (await once(lines, 'line')) as [string];
  const { url, api_key: apiKey, dashboard } = JSON.parse(line) as Record<string, string>;
  return {
    url: url!,
    dashboard: dashboard!,
    apiKey: apiKey!,
    client: createParleyClient({ baseUrl: url!, apiKey: apiKey! }),
    stop: async () => {
      child.kill();
      await once(child, 'exit');
    },
  };
}
