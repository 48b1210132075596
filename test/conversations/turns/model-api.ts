import { armFailpoints } from '../../../src/failpoints.ts';
import { createContext } from '../../../src/roles/context.ts';
import { runApi } from '../../../src/roles/api/run.ts';
import { createPostgresDeclarations } from '../../../src/roles/postgres-declarations.ts';

/** An API process whose agents have a model: what model-kill.faults.test.ts kills, once it is told to. */

const {
  DATABASE_URL = '',
  ENCRYPTION_KEY = '',
  PORT = '',
  MODEL_URL = '',
  KILL_AT = '',
} = process.env;

const context = createContext({
  role: 'api',
  databaseUrl: DATABASE_URL,
  encryptionKey: Buffer.from(ENCRYPTION_KEY, 'base64'),
  egressAllow: ['127.0.0.0/8'],
  logLevel: 'fatal',
  poolMax: 10,
  model: { url: MODEL_URL, key: 'sk-stub', model: 'stub-1' },
});
const { store } = createPostgresDeclarations(context);
await store.start();
await runApi({
  ...context,
  store,
  host: '127.0.0.1',
  port: Number(PORT),
  fallbackToFreePort: false,
  serveHealth: true,
  rateLimit: 0,
});
process.stdin.once('data', () => {
  armFailpoints(KILL_AT);
  process.stdout.write('armed\n');
});
process.stdout.write('ready\n');
