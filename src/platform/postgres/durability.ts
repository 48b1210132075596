import { StartupError } from '../../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { createClient } from './pool.ts';

/**
 * Settings without which a power failure could lose committed data. A 2xx response promises that an event survives any
 * later failure. If one of these settings is off, no role starts, unless the database server itself declares that its
 * data may be lost. This consent must be a setting on the server, because an environment variable of Parley could only
 * state an assumption about the server.
 */
const SETTINGS = ['fsync', 'full_page_writes', 'synchronous_commit'];
/**
 * Setting that declares consent to data loss. Like the settings above, it is set in postgresql.conf or with `alter
 * database … set`.
 */
const CONSENT = 'parley.may_lose_data';

/**
 * Checks that the server cannot lose committed data.
 * @throws StartupError that names the settings that are off
 */
export async function assertDurable(databaseUrl: string, log: Logger): Promise<void> {
  const client = createClient(databaseUrl);
  await client.connect();
  try {
    const { rows } = await client.query<{ off: string[]; consent: string | null }>(
      `select array(select name from pg_settings where name = any($1) and setting = 'off'
                     order by name) as off,
              current_setting($2, true) as consent`,
      [SETTINGS, CONSENT],
    );
    const { off = [], consent = null } = rows[0] ?? {};
    if (off.length === 0) return;
    if (consent !== 'on') throw new StartupError(refusal(off));
    log.warn({ off }, `accepted events may be lost, because the database has ${CONSENT}=on`);
  } finally {
    await client.end();
  }
}

function refusal(off: readonly string[]): string {
  const settings = off.map((name) => `${name}=off`).join(', ');
  return `DATABASE_URL: this PostgreSQL runs with ${settings}, so a power failure would lose accepted events. Turn the settings on, or set ${CONSENT}=on in this PostgreSQL if losing data is acceptable`;
}
