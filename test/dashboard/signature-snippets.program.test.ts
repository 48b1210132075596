import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { execFile } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import {
  SNIPPETS,
  type Language,
} from '../../packages/dashboard/src/pages/webhooks/signature/snippets.ts';

/** The code that the dashboard shows to receivers, run as it is shown. */

const run = promisify(execFile);
const secret = `whsec_${randomBytes(32).toString('base64')}`;
/** With what literals of languages stumble over. */
const body = JSON.stringify({
  id: 'evt_1',
  type: 'escalation.requested',
  created: 1_795_405_841,
  data: { summary: 'Say "no" to $HOME, #{x}, %s, `id`, \\ and \n: ü€😀 \u{1}' },
});
const signature = createHmac('sha256', secret).update(body).digest('hex');

const COMMANDS: Record<Language, { file: string; command: string[]; asks: string[] }> = {
  Node: { file: 'check.mjs', command: [process.execPath], asks: [process.execPath, '--version'] },
  Python: { file: 'check.py', command: ['python3'], asks: ['python3', '--version'] },
  Go: { file: 'check.go', command: ['go', 'run'], asks: ['go', 'version'] },
  Java: { file: 'FromParley.java', command: ['java'], asks: ['java', '-version'] },
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'parley-snippets-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe.each(Object.keys(SNIPPETS) as Language[])('the code for %s', (language) => {
  const { file, command, asks } = COMMANDS[language];

  const runs = async (example: { body: string; signature: string }): Promise<string> => {
    const place = path.join(folder, file);
    await writeFile(place, SNIPPETS[language](example));
    const [program = '', ...rest] = command;
    const env = { ...process.env, PARLEY_WEBHOOK_SECRET: secret, GOFLAGS: '' };
    const { stdout } = await run(program, [...rest, place], { env, cwd: folder });
    return stdout.trim();
  };

  test('accepts what was signed, and refuses a changed body and another signature', async () => {
    const isThere = await run(asks[0]!, asks.slice(1)).then(
      () => true,
      () => false,
    );
    if (!isThere) return; // A language that this machine has not.
    expect(await runs({ body, signature })).toBe('valid');
    expect(await runs({ body: body.replace('no', 'yes'), signature })).toBe('not valid');
    const other = createHmac('sha256', 'another').update(body).digest('hex');
    expect(await runs({ body, signature: other })).toBe('not valid');
  }, 120_000);
});
