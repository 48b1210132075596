import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newTenant, type Tenant } from '../../roles/api/shared-api.ts';
import { until } from '../../until.ts';
import { pdfWithPages } from '../formats/making.ts';

/** Uploaded documents are read in another process, so a bomb keeps nobody else waiting. */

const SOURCES = '/v1/knowledge/sources';
let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant();
});
afterAll(() => signalReaders('SIGCONT'));

/** Processes of this one that read documents. */
async function readers(): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  const found = await Promise.all(
    pids.map(async (pid) => {
      try {
        const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
        const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        const command = await readFile(`/proc/${pid}/cmdline`, 'utf8');
        return parent === process.pid && command.includes('extract-child');
      } catch {
        return false; // It has ended.
      }
    }),
  );
  return pids.filter((_, at) => found[at]);
}

async function signalReaders(signal: NodeJS.Signals): Promise<void> {
  for (const pid of await readers()) process.kill(pid, signal);
}

test('others are answered while a document is read, however long that takes', async () => {
  const { body } = await tenant.call('POST', SOURCES, { json: { type: 'file' } });
  const upload = (hour: string) =>
    tenant.call('PUT', `${SOURCES}/${body.id}/content?file_name=a.pdf`, {
      body: pdfWithPages([`BT /F 9 Tf 40 500 Td (We open at ${hour}.) Tj ET`]),
      headers: { 'content-type': 'application/pdf' },
    });
  expect((await upload('nine')).status).toBe(202);
  await until('the process that reads', async () => (await readers()).length > 0);
  await signalReaders('SIGSTOP');
  let isOver = false;
  const uploading = upload('ten').finally(() => {
    isOver = true;
  });
  for (let requests = 0; requests < 20; requests += 1) {
    expect((await tenant.call('GET', `${SOURCES}?limit=1`)).status).toBe(200);
  }
  expect(isOver).toBe(false);
  await signalReaders('SIGCONT');
  expect((await uploading).status).toBe(202);
});
