import { appendFileSync } from 'node:fs';
import { armFailpoints } from '../../../src/failpoints.ts';
import { createContext } from '../../../src/roles/context.ts';
import { runApi } from '../../../src/roles/api/run.ts';
import { createPostgresDeclarations } from '../../../src/roles/postgres-declarations.ts';
import { refund } from './refund-script.ts';

/** An API process whose agent refunds money: what turn-kill.faults.test.ts kills. */

const { DATABASE_URL = '', ENCRYPTION_KEY = '', PORT = '', CALLS = '', KILL_AT = '' } = process.env;

const context = createContext({
  role: 'api',
  databaseUrl: DATABASE_URL,
  encryptionKey: Buffer.from(ENCRYPTION_KEY, 'base64'),
  egressAllow: [],
  logLevel: 'fatal',
  poolMax: 10,
});
const { store } = createPostgresDeclarations(context);
await store.start();
const script = refund(() => appendFileSync(CALLS, 'refunded\n'));
await runApi({
  ...context,
  store,
  host: '127.0.0.1',
  port: Number(PORT),
  fallbackToFreePort: false,
  serveHealth: true,
  rateLimit: 0,
  responder: {
    takesTime: async () => true,
    respond: (request) => {
      // Here: what comes before belongs to other requests.
      if (!KILL_AT.startsWith('turn.claimed')) armFailpoints(KILL_AT);
      return script(request);
    },
  },
});
if (KILL_AT.startsWith('turn.claimed')) armFailpoints(KILL_AT);
process.stdout.write('ready\n');
