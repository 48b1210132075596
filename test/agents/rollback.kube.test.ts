import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SCOPES } from '../../src/platform/http/authorize.ts';
import { publishVersion, rollBack } from '../../src/agents/pin-agent.ts';
import { actorsOf } from '../../src/platform/reconcile/actors.ts';
import { createAgent, patchAgent } from '../../src/agents/write-agent.ts';
import {
  activations,
  agentRow,
  apiDeps,
  conditionsOf,
  countVersions,
  events,
  refusal,
} from './agents.ts';
import { startEngine, type Engine } from '../roles/engine.ts';
import { describeEachStore } from '../roles/each-store.ts';

describeEachStore((storeName) => {
  let engine: Engine;
  /** The agent of this test. */
  let name: string;
  let n = 0;
  beforeAll(async () => {
    engine = await startEngine(storeName);
    await engine.startOperator();
  });
  beforeEach(() => {
    name = `support-${(n += 1)}`;
  });
  afterAll(() => engine?.stop());

  const CALLER = { namespace: 'default', actor: 'api:key_1', scopes: SCOPES };
  const declare = async (spec: Record<string, unknown>, manager = 'kubectl') => {
    await engine.declareAgent(name, spec, manager);
    return engine.settled('Agent', name);
  };
  const idOf = async (): Promise<string> => (await agentRow(engine, name))!.id;
  const rollback = async (version?: number, reason: string | null = null) =>
    rollBack(apiDeps(engine), CALLER, { id: await idOf(), version, reason });
  const publish = async (version?: number) =>
    publishVersion(apiDeps(engine), CALLER, { id: await idOf(), version });
  const conditionOf = async (type: string) =>
    conditionsOf(await engine.settled('Agent', name))[type];
  /** As many versions as prompts, the last one live. */
  const declareAll = async (...prompts: string[]): Promise<void> => {
    for (const prompt of prompts) await declare({ prompt });
  };

  describe('rollback through the API', () => {
    test('goes to the highest version below that has been live, each with its actor and reason', async () => {
      await declareAll('one', 'two', 'three');
      const { row: agent, shown } = await rollback(undefined, 'it is rude');
      expect({ ...agent, shown }).toMatchObject({
        activeVersion: 2,
        latestVersion: 3,
        shown: true,
      });
      expect(agent.spec).toMatchObject({ prompt: 'three', pinnedVersion: 2 });
      await rollback();
      expect((await activations(engine, name)).slice(3)).toEqual([
        'rolled_back 3>2 api:key_1: it is rude',
        'rolled_back 2>1 api:key_1',
      ]);
      expect(await events(engine, name)).toEqual(await activations(engine, name));
    });

    test('skips what never was live', async () => {
      await declareAll('one');
      await declare({ prompt: 'two', publishPolicy: 'Manual' });
      await declare({ prompt: 'three', publishPolicy: 'Manual' });
      await publish(3);
      expect((await rollback()).row.activeVersion).toBe(1);
    });

    const declareManual = async () => declare({ prompt: 'one', publishPolicy: 'Manual' });
    const nothing = { code: 'nothing_to_roll_back_to', status: 409 };
    const unknown = { code: 'unknown_version', status: 422 };
    test.each([
      ['nothing below', () => declareAll('one'), undefined, nothing],
      ['nothing live', declareManual, undefined, nothing],
      ['the active version', () => declareAll('one', 'two'), 2, unknown],
      ['a version above', () => declareAll('one', 'two', 'one'), 2, unknown],
      ['a version that is not there', () => declareAll('one', 'two'), 9, unknown],
    ])('%s is no target', async (_, given, version, refused) => {
      await given();
      const before = await engine.store.get('Agent', { namespace: 'default', name });
      expect(await refusal(rollback(version))).toMatchObject(refused);
      expect(await engine.store.get('Agent', { namespace: 'default', name })).toEqual(before);
    });

    test('stays when the manifest is applied again, and edits wait', async () => {
      await declareAll('one', 'two');
      await rollback();
      await declareAll('two', 'three');
      expect(await agentRow(engine, name)).toMatchObject({
        activeVersion: 1,
        latestVersion: 3,
      });
      const { row: agent } = await publish();
      expect(agent).toMatchObject({ activeVersion: 3, latestVersion: 3 });
      expect((await activations(engine, name)).slice(2)).toEqual([
        'rolled_back 2>1 api:key_1',
        'published 1>3 api:key_1',
      ]);
    });

    test('works although what is declared now lacks what it refers to, and names who did it', async () => {
      await declareAll('one', 'two');
      const promptFrom = { configMapKeyRef: { name: 'missing', key: 'text' } };
      await declare({ promptFrom });
      const { row: agent } = await rollback(1, 'get out');
      expect(agent).toMatchObject({ activeVersion: 1, ready: false, reason: 'ConfigMapNotFound' });
      expect((await activations(engine, name)).slice(2)).toEqual([
        'rolled_back 2>1 api:key_1: get out',
      ]);
      expect(await events(engine, name)).toEqual(await activations(engine, name));
    });

    test('while suspended it waits, and is then the doing of whoever asked', async () => {
      await declareAll('one', 'two');
      await declare({ prompt: 'two', suspend: true });
      expect((await rollback(1)).row.activeVersion).toBe(2);
      await declare({ prompt: 'two' });
      expect((await activations(engine, name)).slice(2)).toEqual(['rolled_back 2>1 api:key_1']);
    });

    test('is refused with the name of whoever owns the pin, and changes nothing', async () => {
      await declareAll('one', 'two');
      await declare({ prompt: 'two', pinnedVersion: 2 }, 'kubectl');
      const before = await engine.store.get('Agent', { namespace: 'default', name });
      for (const call of [() => rollback(1), () => publish(1), () => publish()]) {
        const { code, detail } = await refusal(call());
        expect([code, detail]).toEqual(['managed_elsewhere', expect.stringContaining('kubectl')]);
      }
      expect(await engine.store.get('Agent', { namespace: 'default', name })).toEqual(before);
    });
  });

  describe('publish through the API', () => {
    test('under automatic: with a version pins it, without one removes the pin', async () => {
      await declareAll('one', 'two', 'three');
      expect((await publish(1)).row).toMatchObject({
        activeVersion: 1,
        spec: { pinnedVersion: 1 },
      });
      expect((await publish(2)).row).toMatchObject({
        activeVersion: 2,
        spec: { pinnedVersion: 2 },
      });
      const { row: agent } = await publish();
      expect(agent.activeVersion).toBe(3);
      expect(agent.spec).not.toHaveProperty('pinnedVersion');
      expect((await activations(engine, name)).slice(3)).toEqual([
        'rolled_back 3>1 api:key_1',
        'published 1>2 api:key_1',
        'published 2>3 api:key_1',
      ]);
    });

    test('under manual: nothing is live until it is asked for, without a version the latest is pinned', async () => {
      await declare({ prompt: 'one', publishPolicy: 'Manual' });
      expect(await agentRow(engine, name)).toMatchObject({
        activeVersion: null,
        latestVersion: 1,
      });
      expect(await conditionOf('Published')).toMatchObject({
        status: 'False',
        reason: 'NotPublished',
      });
      await declare({ prompt: 'two', publishPolicy: 'Manual' });
      expect(await events(engine, name)).toEqual([]);
      const { row: agent } = await publish();
      expect(agent).toMatchObject({ activeVersion: 2, spec: { pinnedVersion: 2 } });
      expect(await activations(engine, name)).toEqual(['published null>2 api:key_1']);
      expect(await conditionOf('Published')).toMatchObject({ status: 'True' });
    });

    test('an unknown version is 422', async () => {
      await declareAll('one');
      expect(await refusal(publish(2))).toMatchObject({ status: 422, pointers: ['/version'] });
    });

    test('of what is live already makes no event', async () => {
      await declareAll('one', 'two');
      await publish(2);
      await publish();
      await publish();
      expect(await events(engine, name)).toHaveLength(2);
    });
  });

  describe('the pin in a manifest', () => {
    test('removed under manual, nothing live changes', async () => {
      const publishPolicy = 'Manual';
      await declare({ prompt: 'one', publishPolicy });
      await declare({ prompt: 'two', publishPolicy, pinnedVersion: 1 });
      await declare({ prompt: 'two', publishPolicy });
      expect(await agentRow(engine, name)).toMatchObject({
        activeVersion: 1,
        latestVersion: 2,
      });
      expect(await activations(engine, name)).toEqual(['published null>1 kubernetes:kubectl']);
    });

    test('on an unknown version: Pinned=False and Stalled, what is live stays', async () => {
      await declareAll('one');
      await declare({ prompt: 'one', pinnedVersion: 7 });
      const named = { reason: 'VersionNotFound', message: expect.stringContaining('7') };
      expect(await conditionOf('Pinned')).toMatchObject({ status: 'False', ...named });
      expect(await conditionOf('Stalled')).toMatchObject({ status: 'True', ...named });
      expect(await conditionOf('Ready')).toMatchObject({ status: 'False', ...named });
      expect(await agentRow(engine, name)).toMatchObject({ activeVersion: 1, ready: false });
      await declare({ prompt: 'one', pinnedVersion: 1 });
      expect(await conditionOf('Pinned')).toMatchObject({ status: 'True' });
      expect(await conditionOf('Stalled')).toBeUndefined();
      expect(await events(engine, name)).toHaveLength(1);
    });
  });

  test('A, B, A, B: two versions, four activations, version 2 published twice', async () => {
    await declareAll('A', 'B', 'A', 'B');
    expect(await events(engine, name)).toEqual([
      'published null>1 kubernetes:kubectl',
      'published 1>2 kubernetes:kubectl',
      'rolled_back 2>1 kubernetes:kubectl',
      'published 1>2 kubernetes:kubectl',
    ]);
    expect(await countVersions(engine, name)).toBe(2);
  });

  test('an activation names whoever made it: a key, a manager, the manifests', async () => {
    const api = apiDeps(engine);
    const { row: agent } = await createAgent(api, CALLER, { name, fields: { prompt: 'one' } });
    await patchAgent(
      api,
      { ...CALLER, actor: 'api:key_2' },
      { id: agent.id, patch: { prompt: 'two' } },
    );
    await engine.declareAgent(name, { pinnedVersion: 1 }, 'kubectl-edit');
    await engine.settled('Agent', name);
    const other = `${name}-by-file`;
    await engine.declareAgent(other, { prompt: 'one' }, 'file');
    await engine.settled('Agent', other);
    expect([...(await activations(engine, name)), ...(await activations(engine, other))]).toEqual([
      'published null>1 api:key_1',
      'published 1>2 api:key_2',
      'rolled_back 2>1 kubernetes:kubectl-edit',
      'published null>1 file',
    ]);
    const { rows } = await engine.pool.query(
      `select created_by from agent_versions v join agents a on a.id = v.agent_id
        where a.name = any($1) order by v.created_at`,
      [[name, other]],
    );
    expect(rows.map((row) => row.created_by)).toEqual(['api:key_1', 'api:key_2', 'file']);
  });

  test('a PATCH that changes nothing is not named for what somebody else does next', async () => {
    await declare({ prompt: 'one' });
    const change = { id: await idOf(), patch: { first_message: 'Hi' } };
    await patchAgent(apiDeps(engine), { ...CALLER, actor: 'api:key_2' }, change);
    await patchAgent(apiDeps(engine), { ...CALLER, actor: 'api:key_3' }, change);
    await declare({ prompt: 'two' });
    expect(await activations(engine, name)).toEqual([
      'published null>1 kubernetes:kubectl',
      'published 1>2 api:key_2',
      'published 2>3 kubernetes:kubectl',
    ]);
  });

  test('a PATCH that repeats what is there, and declares it from then on, leaves its key', async () => {
    await engine.declareAgent(name, { prompt: 'one', firstMessage: 'Hi' });
    await engine.settled('Agent', name);
    const change = { id: await idOf(), patch: { first_message: 'Hi' } };
    await patchAgent(apiDeps(engine), { ...CALLER, actor: 'api:key_2' }, change);
    const key = { namespace: 'default', name };
    const { content } = actorsOf({
      ...(await engine.store.get('Agent', key))!,
      owners: { prompt: ['parley-api'] },
    });
    expect(content.actor).toBe('api:key_2');
  });

  test('the key is named although something else changed before the operator looked', async () => {
    const api = apiDeps(engine);
    const { row: agent } = await createAgent(api, CALLER, {
      name,
      fields: { prompt: 'one' },
    });
    await engine.declareAgent(name, { suspend: true });
    await engine.settled('Agent', name);
    await patchAgent(api, CALLER, { id: agent.id, patch: { prompt: 'two' } });
    await engine.declareAgent(name, {});
    await engine.settled('Agent', name);
    expect(await activations(engine, name)).toEqual([
      'published null>1 api:key_1',
      'published 1>2 api:key_1',
    ]);
  });
});
