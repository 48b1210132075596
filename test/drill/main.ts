import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { runDrill } from '../../packages/drill/src/run-drill.ts';
import { startParley, temporaryFolder } from '../roles/parley-process.ts';
import { startEngines } from './engines.ts';
import { installEngines } from './install.ts';

/**
 * The fire drill: a synthetic caller with real speech rings an agent through the real sockets, breaks in, and
 * checks what was heard, how long it took, the events and the transcript (docs/fire-drill.md).
 *
 *   npm run test:nightly -- drill [--interruptions 100 --at-once 2 --retranscribe]
 *
 * Starts a Parley as `npm start` does, or with PARLEY and KEY calls one that runs, which has the Secret
 * of docs/fire-drill.md.
 */

const { values } = parseArgs({
  options: {
    interruptions: { type: 'string', default: '100' },
    'at-once': { type: 'string', default: '2' },
    retranscribe: { type: 'boolean', default: false },
  },
});
const TOKEN = 'token-of-the-fire-drill';
const SECRET = `apiVersion: v1
kind: Secret
metadata:
  name: fire-drill
  labels: { parley.dev/allow: 'true' }
stringData: { auth-token: ${TOKEN} }
`;

const { PARLEY, KEY } = process.env;
const engines = await startEngines(installEngines());
const folder = await temporaryFolder();
const parley = PARLEY === undefined ? await start() : undefined;
const url = (PARLEY ?? parley?.url ?? '').replace(/\/$/, '');
try {
  const isRight = await runDrill({
    url,
    baseUrl: url,
    apiKey: KEY ?? parley?.apiKey ?? '',
    tokenFrom: { name: 'fire-drill', key: 'auth-token' },
    token: TOKEN,
    voiceAt: () => engines.voice,
    serves: [],
    listen: { host: '127.0.0.1', port: 0, name: '127.0.0.1' },
    interruptions: Number(values.interruptions),
    atOnce: Number(values['at-once']),
    retranscribes: values.retranscribe,
    write: console.log,
  });
  process.exitCode = isRight ? 0 : 1;
} finally {
  const said = parley?.output() ?? '';
  await parley?.stop();
  await folder.remove();
  engines.stop();
  if (process.exitCode !== 0) console.error(said.slice(-4_000));
}

async function start() {
  const manifests = path.join(folder.path, 'manifests');
  await mkdir(manifests);
  await writeFile(path.join(manifests, 'secret.yaml'), SECRET);
  return startParley({ dataDir: path.join(folder.path, 'data'), manifests });
}
