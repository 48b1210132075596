import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { startApi, type Api, type Reply } from '../../roles/api/api-setup.ts';
import { docxOf, pdfWithPages, zipOf, type ZipPart } from '../formats/making.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api?.stop());

const SOURCES = '/v1/knowledge/sources';
const handbook = (ending: string): Buffer =>
  readFileSync(path.join(import.meta.dirname, `../formats/originals/handbook.${ending}`));

async function newFile(): Promise<string> {
  const { body } = await api.call('POST', SOURCES, { json: { type: 'file' } });
  return `${SOURCES}/${body.id}`;
}

async function upload(
  source: string,
  body: Buffer,
  { name, type = 'application/octet-stream' }: { name: string; type?: string },
): Promise<Reply> {
  const headers = type === '' ? {} : { 'content-type': type };
  return api.call('PUT', `${source}/content?file_name=${name}`, { body, headers });
}

/** What the API answers. */
type Body = Reply['body'];

const found = async (words: string): Promise<Body[]> =>
  (await api.call('GET', `/v1/knowledge/search?q=${encodeURIComponent(words)}`)).body.data;

const documents = async (source: string): Promise<Body[]> =>
  (await api.call('GET', `${source}/documents`)).body.data;

test.each([
  ['pdf', 'application/pdf'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['pdf', 'application/octet-stream'],
  ['docx', ''],
])('a %s as %j is found as soon as it is answered, below its headings', async (ending, type) => {
  const source = await newFile();
  const reply = await upload(source, handbook(ending), { name: `handbook.${ending}`, type });
  expect(reply).toMatchObject({ status: 202, body: { documents: 1, ready: true } });
  const [first] = await found('Where is the defibrillator?');
  expect(first).toMatchObject({ heading: 'Guesthouse handbook > Emergencies' });
  expect(first.text).toContain('beside the lift on the first floor');
  expect(await documents(source)).toMatchObject([
    { path: `handbook.${ending}`, title: 'Guesthouse handbook', bytes: handbook(ending).length },
  ]);
  // Read once more from what is stored.
  const again = await api.call('POST', `${source}/sync`);
  expect(again).toMatchObject({ status: 202, body: { last_sync: { added: 0, updated: 0 } } });
  await api.call('DELETE', source);
});

test('what cannot be read is refused with the reason, and what was there before is found', async () => {
  const source = await newFile();
  await upload(source, handbook('docx'), { name: 'handbook.docx' });
  const scan = pdfWithPages(['q 400 0 0 600 0 0 cm Q']);
  const reply = await upload(source, scan, { name: 'scan.pdf' });
  expect(reply).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '', code: 'no_text' }] },
  });
  expect(reply.body.detail).toContain('run OCR first');
  const other = await upload(source, Buffer.from('x'), { name: 'prices.xlsx' });
  expect(other).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
  expect(await found('Where is the defibrillator?')).not.toEqual([]);
  await api.call('DELETE', source);
});

const FOLDER: readonly ZipPart[] = [
  { name: 'guide/arrival.md', data: '# Arrival\n\nThe porcupine lounge opens at three.' },
  { name: 'guide/sauna.html', data: '<h1>Sauna</h1><p>The sauna is warm from five.</p>' },
  { name: 'handbook.docx', data: handbook('docx') },
  { name: 'logo.png', data: '\u0089PNG' },
];

test('of a folder that was packed exactly the changed documents are updated', async () => {
  const source = await newFile();
  const first = await upload(source, zipOf(FOLDER), { name: 'all.zip', type: 'application/zip' });
  expect(first).toMatchObject({
    status: 202,
    body: { documents: 3, last_sync: { added: 3, updated: 0, removed: 0, failed: 1 } },
  });
  expect(first.body.status_message).toMatch(
    /passages indexed; 1 file could not be read: logo\.png \(.+\)/,
  );
  const before = await documents(source);
  const [lounge] = await found('porcupine lounge');
  const [sauna] = await found('warm sauna');

  const changed = [
    FOLDER[0]!,
    { name: 'guide/sauna.html', data: '<h1>Sauna</h1><p>The sauna is warm from six.</p>' },
    { name: 'new.docx', data: docxOf('<w:p><w:r><w:t>Kayaks are free.</w:t></w:r></w:p>') },
  ];
  const second = await upload(source, zipOf(changed), { name: 'all.zip' });
  expect(second).toMatchObject({
    status: 202,
    body: { documents: 3, last_sync: { added: 1, updated: 1, removed: 1, failed: 0 } },
  });
  expect(second.body.status_message).not.toContain('could not be read');
  const after = await documents(source);
  const of = (all: Body[], name: string): Body => all.find((document) => document.path === name);
  expect(of(after, 'guide/arrival.md')).toEqual(of(before, 'guide/arrival.md'));
  expect(of(after, 'guide/sauna.html').id).toBe(of(before, 'guide/sauna.html').id);
  expect(of(after, 'handbook.docx')).toBeUndefined();
  // The passage itself is the same, or another one.
  expect((await found('porcupine lounge'))[0].chunk_id).toBe(lounge.chunk_id);
  expect((await found('warm sauna'))[0].chunk_id).not.toBe(sauna.chunk_id);
  expect((await found('warm sauna'))[0].text).toContain('from six');
  expect(await found('defibrillator')).toEqual([]);

  const same = await upload(source, zipOf(changed), { name: 'all.zip' });
  expect(same).toMatchObject({ body: { last_sync: { added: 0, updated: 0, removed: 0 } } });
  expect((await found('warm sauna'))[0].text).toContain('from six');
  await api.call('DELETE', source);
});
