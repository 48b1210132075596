import { afterAll, beforeAll, expect, test } from 'vitest';
import * as fc from 'fast-check';
import { publishVersion } from '../../src/agents/pin-agent.ts';
import { activations, agentRow, apiDeps, events } from './agents.ts';
import { IS_NIGHTLY } from '../nightly.ts';
import { startEngine, type Engine } from '../roles/engine.ts';
import { describeKind } from '../roles/each-store.ts';

describeKind((storeName) => {
  /**
   * Random lives of an agent through the real store, operator and PostgreSQL, held against a model
   * of a page. A failure prints its seed; PARLEY_TEST_SEED runs it again.
   */
  const seed = Number(process.env['PARLEY_TEST_SEED'] ?? Date.now() % 2 ** 31);
  const TEXTS = ['one', 'two', 'three', 'four'];

  type Op =
    | { do: 'edit' | 'config map'; text: number }
    | { do: 'pin' | 'api pin'; version: number }
    | { do: 'policy'; manual: boolean }
    | { do: 'source'; configMap: boolean }
    | { do: 'unpin' | 'api publish' | 're-apply' | 're-create' | 'restart' | 'away' };

  const op: fc.Arbitrary<Op> = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constantFrom('edit', 'config map'), text: fc.nat(3) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom('pin', 'api pin'),
        version: fc.integer({ min: 1, max: 5 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('policy'), manual: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('source'), configMap: fc.boolean() }) },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constantFrom('unpin', 'api publish', 're-apply', 're-create', 'restart', 'away'),
      }),
    },
  );

  /** A declaration, and its consequences by contract/agents.md#versions. */
  function createModel() {
    const declared = { inline: 'one', configMap: 'one', fromConfigMap: false, manual: false };
    const pins: { kubectl?: number; api?: number } = {};
    const versions: string[] = [];
    const log: string[] = [];
    let active: number | null = null;
    const text = (): string => (declared.fromConfigMap ? declared.configMap : declared.inline);
    return {
      declared,
      pins,
      versions,
      log,
      text,
      active: () => active,
      reconcile: (): void => {
        if (!versions.includes(text())) versions.push(text());
        const pin = pins.kubectl ?? pins.api;
        const wanted = pin ?? (declared.manual ? active : versions.indexOf(text()) + 1);
        if (wanted === null || wanted === active || wanted > versions.length) return;
        log.push(
          `${active !== null && wanted < active ? 'rolled_back' : 'published'} ${active}>${wanted}`,
        );
        active = wanted;
      },
    };
  }

  let engine: Engine;
  let operator: { stop: () => Promise<void> };
  let count = 0;
  let away = false; // The operator is stopped.
  beforeAll(async () => {
    engine = await startEngine(storeName);
    operator = await engine.startOperator();
  });
  afterAll(() => engine.stop());

  /** One agent under test beside its model. */
  function createLife() {
    count += 1;
    const name = `life-${count}`;
    const key = { namespace: 'default', name };
    const model = createModel();
    const api = apiDeps(engine);

    const declareText = (text: string) =>
      engine.store.apply(
        { kind: 'ConfigMap', ...key, spec: { data: { text } } },
        { fieldManager: 'kubectl' },
      );
    const declare = async (displayName = 'life'): Promise<void> => {
      const { declared, pins } = model;
      const configMapKeyRef = { name, key: 'text' };
      const spec = {
        displayName,
        publishPolicy: declared.manual ? 'Manual' : 'Automatic',
        ...(declared.fromConfigMap
          ? { promptFrom: { configMapKeyRef } }
          : { prompt: declared.inline }),
        ...(pins.kubectl !== undefined && { pinnedVersion: pins.kubectl }),
      };
      await engine.store.apply({ kind: 'Agent', ...key, spec }, { fieldManager: 'kubectl' });
    };
    const settle = async (): Promise<void> => {
      if (away) return;
      model.reconcile();
      const { metadata } = await engine.settled('Agent', name);
      await engine.eventually(
        async () => {
          const row = await agentRow(engine, name);
          return row?.uid === metadata.uid && row.spec.prompt === model.text();
        },
        () => agentRow(engine, name),
      );
    };
    const call = async (version?: number): Promise<void> => {
      const { id } = (await agentRow(engine, name))!;
      await publishVersion(api, { namespace: 'default', actor: 'api:key_1' }, { id, version });
    };

    const act = async (op: Op): Promise<void> => {
      const { declared, pins, versions } = model;
      if (op.do === 'config map') {
        declared.configMap = TEXTS[op.text]!;
        await declareText(declared.configMap);
      } else if (op.do === 'api pin') {
        if (away || pins.kubectl !== undefined || op.version > versions.length) return;
        pins.api = op.version;
        await call(op.version);
      } else if (op.do === 'api publish') {
        if (away || pins.kubectl !== undefined) return;
        if (declared.manual) pins.api = versions.length;
        else delete pins.api;
        await call();
      } else if (op.do === 're-create') {
        delete pins.api;
        await engine.store.delete('Agent', key);
        if (!away)
          await engine.eventually(async () => (await agentRow(engine, name)) === undefined);
        await declare();
      } else if (op.do === 'restart' || op.do === 'away') {
        if (!away) await operator.stop();
        away = op.do === 'away';
        if (!away) operator = await engine.startOperator();
      } else {
        if (op.do === 'edit') declared.inline = TEXTS[op.text]!;
        if (op.do === 'policy') declared.manual = op.manual;
        if (op.do === 'source') declared.fromConfigMap = op.configMap;
        if (op.do === 'unpin') delete pins.kubectl;
        if (op.do === 'pin' && pins.api === undefined) pins.kubectl = op.version;
        await declare();
      }
      if (model.versions.length > 0) await settle();
    };
    return { name, model, act, declare, declareText, settle };
  }

  type VersionRow = { version: number; prompt: string; hash: string; at: number };
  async function versionsOf(name: string): Promise<VersionRow[]> {
    const { rows } = await engine.pool.query<VersionRow>(
      `select version, content->>'prompt' as prompt, encode(content_hash, 'hex') as hash, v.created_at as at
       from agent_versions v join agents on agents.id = agent_id where name = $1 order by version`,
      [name],
    );
    return rows;
  }

  async function live(ops: readonly Op[]): Promise<void> {
    const { name, model, act, declare, declareText, settle } = createLife();
    if (away) await act({ do: 'restart' }); // A life that failed left it so.
    await declareText('one');
    await declare();
    await settle();
    let before: VersionRow[] = [];
    for (const op of ops) {
      await act(op);
      const after = await versionsOf(name);
      expect(after.slice(0, before.length)).toEqual(before); // Immutable.
      before = after;
    }
    await act({ do: 'restart' });
    await act({ do: 're-apply' });
    // What an act without an effect may have left in the queue is through when this is.
    await declare('the end');
    await settle();

    const versions = await versionsOf(name);
    expect(versions.map(({ version, prompt }) => [version, prompt])).toEqual(
      model.versions.map((text, i) => [i + 1, text]), // Gapless.
    );
    const row = await agentRow(engine, name);
    expect(row).toMatchObject({
      activeVersion: model.active(),
      latestVersion: model.versions.length,
    });
    const log = await activations(engine, name);
    expect(log.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual(model.log);
    expect(await events(engine, name)).toEqual(log); // Exactly one each, in the same words.
    const { status } = (await engine.store.get('Agent', { namespace: 'default', name }))!;
    expect(status['activeVersion'] ?? null).toBe(model.active());
  }

  test(`versions, activations and events are what the model says (seed ${seed})`, async () => {
    // A restart costs more in Kubernetes.
    const runs = storeName === 'kubernetes' ? { short: 2, long: 10 } : { short: 3, long: 30 };
    const numRuns = IS_NIGHTLY ? runs.long : runs.short;
    const lives = fc.array(op, { minLength: 8, maxLength: 24, size: 'max' });
    await fc.assert(fc.asyncProperty(lives, live), { seed, numRuns, endOnFailure: false });
  }, 120_000);
});
