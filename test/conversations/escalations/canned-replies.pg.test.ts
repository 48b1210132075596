import { beforeEach, expect, test } from 'vitest';
import { newId } from '../../../src/ids.ts';
import { createCall, type Call } from '../../roles/api/api-setup.ts';
import { newTenant, type Tenant } from '../../roles/api/shared-api.ts';

/** Replies that people prepared for each other (contract/canned-replies.md). */
let tenant: Tenant;
let call: Call;
beforeEach(async () => {
  tenant = await newTenant();
  ({ call } = tenant);
});

const PATH = '/v1/canned_replies';
const REFUND = { title: 'Refund', text: 'Hello {{customer}}, your refund is on its way.' };

async function created(json: object = REFUND): Promise<string> {
  const { status, body } = await call('POST', PATH, { json });
  expect([status, body.detail]).toEqual([201, undefined]);
  return String(body.id);
}

async function titles(query = ''): Promise<string[]> {
  const { body } = await call('GET', `${PATH}?${query}`);
  return body.data.map(({ title }: { title: string }) => title);
}

test('one is created, read, changed and deleted', async () => {
  const { status, body, headers } = await call('POST', PATH, { json: REFUND });
  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.stringMatching(/^reply_/),
    created: expect.any(Number),
    updated: expect.any(Number),
    ...REFUND,
  });
  const path = `${PATH}/${body.id}`;
  expect(headers.get('location')).toBe(path);
  expect((await call('GET', path)).body).toEqual(body);
  const renamed = await call('PATCH', path, { json: { title: 'Money back' } });
  expect(renamed.body).toMatchObject({ title: 'Money back', text: REFUND.text });
  const rewritten = await call('PATCH', path, { json: { text: 'Done.' } });
  expect(rewritten.body).toMatchObject({ title: 'Money back', text: 'Done.' });
  expect((await call('PATCH', path, { json: {} })).body).toMatchObject({ text: 'Done.' });
  expect((await call('DELETE', path)).status).toBe(204);
  for (const method of ['GET', 'DELETE']) expect((await call(method, path)).status).toBe(404);
  expect((await call('PATCH', path, { json: REFUND })).status).toBe(404);
});

test('they come newest first or oldest first, in pages', async () => {
  for (const title of ['one', 'two', 'three']) await created({ ...REFUND, title });
  expect(await titles()).toEqual(['three', 'two', 'one']);
  expect(await titles('order=oldest')).toEqual(['one', 'two', 'three']);
  const { body } = await call('GET', `${PATH}?limit=2&order=oldest`);
  expect(await titles(`limit=2&order=oldest&cursor=${body.next_cursor}`)).toEqual(['three']);
});

test('another namespace has its own', async () => {
  const path = `${PATH}/${await created()}`;
  const other = (await newTenant()).call;
  expect((await other('GET', PATH)).body.data).toEqual([]);
  expect((await other('GET', path)).status).toBe(404);
  expect((await other('PATCH', path, { json: { title: 'x' } })).status).toBe(404);
  expect((await other('DELETE', path)).status).toBe(404);
  expect(await titles()).toEqual(['Refund']);
});

test('a line of the audit log has the title and never the text', async () => {
  const id = await created();
  await call('PATCH', `${PATH}/${id}`, { json: { title: 'Money', text: 'Secret' } });
  await call('DELETE', `${PATH}/${id}`);
  const { body } = await call('GET', '/v1/audit_log');
  const lines = body.data.filter(({ target }: { target: string }) => target === id);
  expect(lines).toMatchObject([
    { action: 'canned_reply.deleted', before: { title: 'Money' }, after: null },
    {
      action: 'canned_reply.updated',
      before: { title: 'Refund' },
      after: { title: 'Money' },
      detail: { changed: ['text'] },
    },
    { action: 'canned_reply.created', before: null, after: { title: 'Refund' } },
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/Secret|on its way/);
});

test.each([
  ['no title', { text: 'x' }, '/title'],
  ['no text', { title: 'x' }, '/text'],
  ['a blank title', { title: ' ', text: 'x' }, '/title'],
  ['a blank text', { title: 'x', text: '\n ' }, '/text'],
  ['a title of two lines', { title: 'a\nb', text: 'x' }, '/title'],
  ['a title of 101 characters', { title: 'x'.repeat(101), text: 'x' }, '/title'],
  ['a text of 4,001 characters', { title: 'x', text: 'x'.repeat(4_001) }, '/text'],
])('one with %s is refused', async (_, json, pointer) => {
  const { status, body } = await call('POST', PATH, { json });
  expect([status, body.errors[0].pointer]).toEqual([422, pointer]);
  expect(await titles()).toEqual([]);
});

test('a change to a wrong value is refused, and changes nothing', async () => {
  const path = `${PATH}/${await created({ title: 'x'.repeat(100), text: 'y'.repeat(4_000) })}`;
  for (const json of [{ title: '' }, { text: '' }, { title: null }, { other: 'x' }]) {
    expect((await call('PATCH', path, { json })).status).toBe(422);
  }
  expect((await call('GET', path)).body).toMatchObject({ title: 'x'.repeat(100) });
});

test('the 501st is refused', async () => {
  await tenant.api.engine.pool.query(
    `insert into canned_replies (id, namespace, title, text)
     select parley_uuid_v7(), $1, 't', 'x' from generate_series(1, 499)`,
    [tenant.namespace],
  );
  const last = await created();
  const { status, body } = await call('POST', PATH, { json: REFUND });
  expect([status, body.code]).toEqual([409, 'quota_exceeded']);
  await call('DELETE', `${PATH}/${last}`);
  await created();
});

test('a key that may only read creates, changes and deletes none', async () => {
  const path = `${PATH}/${await created()}`;
  const reader = createCall(tenant.api.url, await tenant.newKey(['read']));
  for (const [method, at] of [
    ['POST', PATH],
    ['PATCH', path],
    ['DELETE', path],
  ] as const) {
    const { body } = await reader(method, at, { json: REFUND });
    expect([method, body.code]).toEqual([method, 'missing_scope']);
  }
  expect((await reader('GET', path)).body).toMatchObject(REFUND);
  expect((await call('GET', `${PATH}/${newId('reply')}`)).status).toBe(404);
});
