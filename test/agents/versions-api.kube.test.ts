import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SCOPES } from '../../src/platform/http/authorize.ts';
import { createAgent, deleteAgent, patchAgent } from '../../src/agents/write-agent.ts';
import { agentRow, apiDeps, countVersions, events, refusal } from './agents.ts';
import { startEngine, type Engine } from '../roles/engine.ts';
import { describeKind } from '../roles/each-store.ts';

const BY = { namespace: 'default', actor: 'api:key_test' };

describeKind((storeName) => {
  let engine: Engine;
  let operator: { stop: () => Promise<void> };
  /** An agent of this test alone. */
  let own: string;
  let n = 0;
  beforeAll(async () => {
    engine = await startEngine(storeName);
    operator = await engine.startOperator();
  });
  beforeEach(() => {
    own = `own-${(n += 1)}`;
  });
  afterAll(() => engine?.stop());

  const CALLER = { namespace: 'default', actor: 'api:key_1', scopes: SCOPES };
  const create = (fields: Record<string, unknown> = {}, name?: string) =>
    createAgent(apiDeps(engine), CALLER, { name, fields: { prompt: 'one', ...fields } });
  const patch = (id: string, change: Record<string, unknown>) =>
    patchAgent(apiDeps(engine), CALLER, { id, patch: change });
  const declared = async (name: string) =>
    (await engine.store.get('Agent', { namespace: 'default', name }))!;
  const declare = async (
    name: string,
    spec: Record<string, unknown>,
    manager: string,
  ): Promise<string> => {
    await engine.declareAgent(name, spec, manager);
    await engine.settled('Agent', name);
    return (await agentRow(engine, name))!.id;
  };

  describe('create', () => {
    test('answers the agent as it is in force, under the id it then keeps', async () => {
      const { row: agent, shown } = await create({ display_name: 'Zoë & Café №1' });
      expect({ ...agent, shown }).toMatchObject({
        shown: true,
        name: 'zoe-cafe-no1',
        managedBy: 'api',
        activeVersion: 1,
        ready: true,
      });
      const { status } = await engine.settled('Agent', agent.name);
      const { metadata } = await declared(agent.name);
      expect(status['agentId']).toBe(metadata.annotations['parley.dev/id']);
      await patch(agent.id, { prompt: 'two' });
      expect((await declared(agent.name)).metadata.annotations['parley.dev/id']).toBe(
        status['agentId'],
      );
    });

    test('a derived name that is taken gets a suffix, none at all is agent- and eight characters', async () => {
      const names = [];
      for (let n = 0; n < 3; n += 1)
        names.push((await create({ display_name: 'Support' })).row.name);
      expect(names[0]).toBe('support');
      for (const name of names.slice(1)) expect(name).toMatch(/^support-[0-9a-f]{4}$/);
      expect((await create()).row.name).toMatch(/^agent-[0-9a-f]{8}$/);
      expect((await create({ display_name: '客服' })).row.name).toMatch(/^agent-[0-9a-f]{8}$/);
      const long = await create({ display_name: 'x'.repeat(128) });
      expect(long.row.name).toBe('x'.repeat(50));
      expect(new Set(names).size).toBe(3);
    });

    test('a given name that is taken is 409, whoever has it; of two at once one gets it', async () => {
      await declare(own, { prompt: 'p' }, 'kubectl');
      expect(await refusal(create({}, own))).toMatchObject({ code: 'name_taken', status: 409 });
      const both = await Promise.allSettled([create({}, 'race'), create({}, 'race')]);
      expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(await countVersions(engine, 'race')).toBe(1);
    });

    test('a mistake is named in the words of the body and leaves nothing', async () => {
      const { code, pointers } = await refusal(
        create({ voice: { voice_id: 'x'.repeat(200) } }, own),
      );
      expect([code, pointers]).toEqual(['invalid_body', ['/voice/voice_id']]);
      expect((await engine.store.list('Agent')).map(({ metadata }) => metadata.name)).not.toContain(
        own,
      );
    });
  });

  test('without an operator what was written is answered after 2 s, not ready, and holds', async () => {
    await operator.stop();
    const { row: agent, shown } = await create({ first_message: 'Hi' }, 'waits');
    expect({ ...agent, shown }).toMatchObject({
      shown: false,
      ready: false,
      reason: 'Pending',
      activeVersion: null,
      spec: { prompt: 'one', firstMessage: 'Hi' },
    });
    await engine.startOperator();
    await engine.settled('Agent', 'waits');
    expect(await agentRow(engine, 'waits')).toMatchObject({ id: agent.id, activeVersion: 1 });
  });

  describe('patch', () => {
    test('two at the same time both survive, and a later one removes but what it names', async () => {
      const { row: agent } = await create();
      await Promise.all([
        patch(agent.id, { language: 'en' }),
        patch(agent.id, { first_message: 'Hi' }),
      ]);
      expect((await agentRow(engine, agent.name))?.spec).toMatchObject({
        language: 'en',
        firstMessage: 'Hi',
      });
      const tools = [{ type: 'end_call', name: 'bye' }];
      await patch(agent.id, { tools, language: null });
      const { spec } = await declared(agent.name);
      expect(spec).toMatchObject({ tools, prompt: 'one', firstMessage: 'Hi' });
      expect(spec).not.toHaveProperty('language');
    });

    test.each(['file', 'kubectl'])(
      'of a field that %s owns is 409 and names it',
      async (manager) => {
        const id = await declare(own, { prompt: 'p', language: 'en' }, manager);
        const before = await declared(own);
        for (const change of [
          { prompt: 'q' },
          { language: null },
          { prompt: 'q', first_message: 'Hi' },
        ]) {
          const { code, status, detail, pointers } = await refusal(patch(id, change));
          expect([code, status, pointers]).toEqual([
            'managed_elsewhere',
            409,
            [`/${Object.keys(change)[0]}`],
          ]);
          expect(detail).toContain(manager);
        }
        expect(await declared(own)).toEqual(before);
      },
    );

    test('of a field that nobody owns works beside the manifest, which may be applied again', async () => {
      const id = await declare(own, { prompt: 'p' }, 'file');
      const { row: agent } = await patch(id, { first_message: 'Hi', publish_policy: 'manual' });
      expect(agent).toMatchObject({
        managedBy: 'file',
        spec: { firstMessage: 'Hi', publishPolicy: 'Manual' },
      });
      await declare(own, { prompt: 'p' }, 'file');
      expect((await declared(own)).spec).toMatchObject({
        firstMessage: 'Hi',
        publishPolicy: 'Manual',
      });
      await patch(id, { first_message: null, publish_policy: null });
      const { spec, owners } = await declared(own);
      expect(spec).toMatchObject({ publishPolicy: 'Automatic' });
      expect(spec).not.toHaveProperty('firstMessage');
      expect(owners).toEqual({ prompt: ['file'] });
    });

    test('of a prompt that a reference gives is 409', async () => {
      await engine.store.apply(
        { kind: 'ConfigMap', namespace: 'default', name: 'p', spec: { data: { text: 'x' } } },
        { fieldManager: 'file' },
      );
      const id = await declare(
        own,
        { promptFrom: { configMapKeyRef: { name: 'p', key: 'text' } } },
        'file',
      );
      expect(await refusal(patch(id, { prompt: 'mine' }))).toMatchObject({
        code: 'managed_elsewhere',
      });
    });

    test('that changes nothing writes nothing, makes no version and no event', async () => {
      const { row: agent } = await create({ language: 'en', publish_policy: 'automatic' });
      await engine.settled('Agent', agent.name);
      const before = await declared(agent.name);
      await patch(agent.id, { language: 'en' });
      await patch(agent.id, {});
      expect(await declared(agent.name)).toEqual(before);
      await patch(agent.id, { metadata: { a: 'b' }, display_name: 'Other' });
      expect(await countVersions(engine, agent.name)).toBe(1);
      expect(await events(engine, agent.name)).toHaveLength(1);
    });
  });

  describe('delete', () => {
    test('removes what the API made; its history stays and its name is free', async () => {
      const { row: agent } = await create({}, own);
      await deleteAgent(apiDeps(engine), BY, { id: agent.id });
      expect(await agentRow(engine, own)).toBeUndefined();
      expect(await countVersions(engine, own)).toBe(1);
      const again = await create({}, own);
      expect(again.row).toMatchObject({ activeVersion: 1, latestVersion: 1 });
      expect(again.row.id).not.toBe(agent.id);
    });

    test.each([['file'], ['kubectl'], ['parley-api and terraform']])(
      'of what %s declares is 409',
      async (who) => {
        const managers = who.split(' and ');
        for (const manager of managers) await declare(own, { prompt: 'p' }, manager);
        // A second owner of the same moves no generation.
        const { id } = await engine.eventually(async () => {
          const row = await agentRow(engine, own);
          return row?.managedBy === 'api' ? undefined : row;
        });
        const call = deleteAgent(apiDeps(engine), BY, { id });
        expect(await refusal(call)).toMatchObject({ code: 'managed_elsewhere', status: 409 });
        expect(await declared(own)).toBeDefined();
      },
    );

    test('in another namespace there is nothing to delete or patch', async () => {
      const { row: agent } = await create();
      const elsewhere = { namespace: 'other', id: agent.id };
      expect(
        await refusal(deleteAgent(apiDeps(engine), { ...BY, namespace: 'other' }, elsewhere)),
      ).toMatchObject({
        code: 'not_found',
      });
      const change = patchAgent(
        apiDeps(engine),
        { ...CALLER, namespace: 'other' },
        { id: agent.id, patch: {} },
      );
      expect(await refusal(change)).toMatchObject({ code: 'not_found' });
    });
  });
});
