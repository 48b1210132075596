import { beforeAll, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/ids.ts';
import { createCall, type Reply } from '../../roles/api/api-setup.ts';
import { shareConversationFixture, type ConversationFixture } from '../conversation-setup.ts';

/** Private notes of colleagues about an escalation (contract/escalations.md#notes). */
let fixture: ConversationFixture;
beforeAll(async () => {
  fixture = await shareConversationFixture();
});

async function escalate(id: string): Promise<string> {
  return String((await fixture.call('POST', `/v1/conversations/${id}/escalate`)).body.id);
}

async function escalated(): Promise<{ id: string; esc: string }> {
  const id = await fixture.start();
  return { id, esc: await escalate(id) };
}

const add = (esc: string, json: object): Promise<Reply> =>
  fixture.call('POST', `/v1/escalations/${esc}/notes`, { json });

async function added(esc: string, text: string): Promise<string> {
  const { status, body } = await add(esc, { text });
  expect(status).toBe(201);
  return String(body.id);
}

async function texts(esc: string, query = ''): Promise<string[]> {
  const { body } = await fixture.call('GET', `/v1/escalations/${esc}/notes?${query}`);
  return body.data.map(({ text }: { text: string }) => text);
}

const remove = (esc: string, note: string): Promise<Reply> =>
  fixture.call('DELETE', `/v1/escalations/${esc}/notes/${note}`);

async function stored(id: string): Promise<number> {
  const { rows } = await fixture.engine.pool.query(
    'select from escalation_notes where conversation_id = $1',
    [toUuid('conv', id)],
  );
  return rows.length;
}

test('a note has its author, with the person if one is named', async () => {
  const { id, esc } = await escalated();
  const by = { id: 'op-1', name: 'Kim' };
  const { status, body } = await add(esc, { text: 'Call back at six.', by });
  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.stringMatching(/^note_/),
    created: expect.any(Number),
    conversation_id: id,
    escalation_id: esc,
    actor: expect.stringMatching(/^api:key_/),
    by,
    text: 'Call back at six.',
  });
  expect((await add(esc, { text: 'x' })).body.by).toBeNull();
  const { body: page } = await fixture.call('GET', `/v1/escalations/${esc}/notes`);
  expect(page.data[1]).toEqual(body);
});

test('notes come newest first or oldest first, in pages', async () => {
  const { esc } = await escalated();
  for (const text of ['one', 'two', 'three']) await added(esc, text);
  expect(await texts(esc)).toEqual(['three', 'two', 'one']);
  expect(await texts(esc, 'order=oldest')).toEqual(['one', 'two', 'three']);
  for (const [order, second] of [
    ['newest', ['one']],
    ['oldest', ['three']],
  ]) {
    const path = `/v1/escalations/${esc}/notes?limit=2&order=${String(order)}`;
    const { body } = await fixture.call('GET', path);
    expect(body).toMatchObject({ data: [{}, {}], has_more: true });
    expect(await texts(esc, `limit=2&order=${String(order)}&cursor=${body.next_cursor}`)).toEqual(
      second,
    );
  }
});

test('the next escalation of the conversation has them too, and another conversation does not', async () => {
  const { id, esc } = await escalated();
  await added(esc, 'Angry');
  await fixture.call('POST', `/v1/escalations/${esc}/decline`);
  await added(esc, 'Declined: nobody there'); // Also when it is closed.
  const next = await escalate(id);
  await added(next, 'Again');
  for (const one of [esc, next]) {
    expect(await texts(one)).toEqual(['Again', 'Declined: nobody there', 'Angry']);
  }
  expect(await texts((await escalated()).esc)).toEqual([]);
});

test('the user never sees a note: neither in the transcript nor in an event', async () => {
  const { id, esc } = await escalated();
  const before = [await fixture.turns(id), await fixture.events(id)];
  await added(esc, 'Secret');
  expect([await fixture.turns(id), await fixture.events(id)]).toEqual(before);
});

test('a note is deleted, only through its own escalation and namespace', async () => {
  const { id, esc } = await escalated();
  const note = await added(esc, 'Card 4111');
  await fixture.call('POST', `/v1/escalations/${esc}/decline`);
  const other = await escalate(id);
  expect((await remove(other, note)).status).toBe(404);
  const stranger = createCall(fixture.url, await fixture.newKey('stranger'));
  expect((await stranger('DELETE', `/v1/escalations/${esc}/notes/${note}`)).status).toBe(404);
  expect(await texts(esc)).toEqual(['Card 4111']);
  expect((await remove(esc, note)).status).toBe(204);
  expect(await texts(esc)).toEqual([]);
  expect((await remove(esc, note)).status).toBe(404);
  const { body } = await fixture.call('GET', '/v1/audit_log?action=escalation.note_deleted');
  expect(body.data[0]).toMatchObject({ target: esc, detail: { note_id: note } });
});

test('another namespace neither reads nor adds notes', async () => {
  const { id, esc } = await escalated();
  const other = createCall(fixture.url, await fixture.newKey('elsewhere'));
  const path = `/v1/escalations/${esc}/notes`;
  expect((await other('GET', path)).status).toBe(404);
  expect((await other('POST', path, { json: { text: 'x' } })).status).toBe(404);
  expect(await stored(id)).toBe(0);
});

test('a key that may only read reads notes, and adds and deletes none', async () => {
  const { esc } = await escalated();
  const note = await added(esc, 'Kept');
  const reader = createCall(fixture.url, await fixture.newKey('default', ['read']));
  const path = `/v1/escalations/${esc}/notes`;
  expect((await reader('GET', path)).body.data).toHaveLength(1);
  expect((await reader('POST', path, { json: { text: 'x' } })).body.code).toBe('missing_scope');
  expect((await reader('DELETE', `${path}/${note}`)).body.code).toBe('missing_scope');
  expect(await texts(esc)).toEqual(['Kept']);
});

test.each([
  ['no text', {}, '/text'],
  ['an empty text', { text: '' }, '/text'],
  ['a blank text', { text: ' \n' }, '/text'],
  ['a text of 4,001 characters', { text: 'x'.repeat(4_001) }, '/text'],
  ['a name of two lines', { text: 'x', by: { id: 'a', name: 'A\nB' } }, '/by/name'],
  ['a person without an id', { text: 'x', by: { name: 'A' } }, '/by/id'],
])('a note with %s is refused', async (_, json, pointer) => {
  const { id, esc } = await escalated();
  const { status, body } = await add(esc, json);
  expect([status, body.errors[0].pointer]).toEqual([422, pointer]);
  expect(await stored(id)).toBe(0);
});

test('a text of 4,000 characters is accepted', async () => {
  const { esc } = await escalated();
  await added(esc, 'x'.repeat(4_000));
});

test('a repeated request adds one note', async () => {
  const { id, esc } = await escalated();
  const headers = { 'idempotency-key': `note-${esc}` };
  const once = () =>
    fixture.call('POST', `/v1/escalations/${esc}/notes`, { headers, json: { text: 'x' } });
  expect((await once()).body).toEqual((await once()).body);
  expect(await stored(id)).toBe(1);
});

describe('notes go with their conversation', () => {
  test('when it is erased, by this release or the one before; none is added after that', async () => {
    const { id, esc } = await escalated();
    await added(esc, 'Secret');
    const kept = await escalated();
    await added(kept.esc, 'Kept');
    await fixture.call('DELETE', `/v1/conversations/${id}`);
    expect([await stored(id), await stored(kept.id)]).toEqual([0, 1]);
    expect((await add(esc, { text: 'x' })).status).toBe(404);
    expect(await texts(esc)).toEqual([]);
    // The statement with which the release before erases.
    await fixture.engine.pool.query('update conversations set deleted_at = now() where id = $1', [
      toUuid('conv', kept.id),
    ]);
    expect(await stored(kept.id)).toBe(0);
  });

  test('when its retention is over', async () => {
    const { id, esc } = await escalated();
    await added(esc, 'Old');
    await fixture.engine.pool.query('delete from conversations where id = $1', [
      toUuid('conv', id),
    ]);
    expect(await stored(id)).toBe(0);
  });
});
