import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import { objectPath } from '../../../src/platform/kubernetes/resource-paths.ts';
import { toResource } from '../../../src/platform/kubernetes/to-resource.ts';
import type { Resource } from '../../../src/platform/resources/resource-store.ts';
import { readCorpus, readText } from '../../platform/resources/schema/corpus.ts';
import { startEngine, type Engine } from '../engine.ts';
import { findKubeBinaries } from '../../platform/kubernetes/kube-binaries.ts';
import { IS_NIGHTLY } from '../../nightly.ts';
import { mutationsOf } from '../../random/mutations.ts';
import {
  newLife,
  reconcile,
  statusOf,
  transitions,
  type Life,
  type Transition,
} from './agent-life-model.ts';

/**
 * Valid and invalid declarations. Agents go through random transitions, and their status must match the model after
 * each one. Specs are also changed at random. Each spec that the API server accepts must get a condition, and other
 * agents must still be reconciled. FUZZ_INPUTS sets the number of specs (10,000 in the long run). FUZZ_SEED repeats a
 * run.
 */
const INPUTS = Number(process.env['FUZZ_INPUTS'] ?? (IS_NIGHTLY ? 10_000 : 40));
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);
const LIVES = 8;

((await findKubeBinaries()) ? describe : describe.skip)(`the operator, seed ${seed}`, () => {
  let engine: Engine;
  const escaped: unknown[] = [];
  const onEscape = (error: unknown): void => void escaped.push(error);
  beforeAll(async () => {
    process.on('unhandledRejection', onEscape);
    engine = await startEngine('kubernetes');
    await engine.startOperator();
  }, 120_000);
  afterAll(async () => {
    process.off('unhandledRejection', onEscape);
    await engine.stop();
  }, 60_000);

  test(
    `${INPUTS} random transitions: every status is the model's`,
    async () => {
      const acts = fc.sample(transitions, { seed, numRuns: INPUTS });
      const lives = Array.from({ length: LIVES }, (_, i) => newLife(`life-${i}`));
      await Promise.all(
        lives.map(async (life, i) => {
          await prepare(life);
          const own = acts.filter((_, index) => index % LIVES === i);
          for (const [step, act] of own.entries()) await live(life, act, step);
        }),
      );
      expect(escaped).toEqual([]);
    },
    60_000 + INPUTS * 500,
  );

  test(
    `${INPUTS} specs changed at random: a condition for each, and the others go on`,
    async () => {
      const kinds = ['agent-full', 'endpoint-full'].map(specOf);
      let accepted = 0;
      let next = 0;
      const samples = kinds.flatMap(({ kind, spec }) =>
        [spec, ...fc.sample(mutationsOf(spec), { seed, numRuns: INPUTS / kinds.length })].map(
          (one) => ({ kind, spec: one }),
        ),
      );
      const worker = async (): Promise<void> => {
        while (next < samples.length) {
          const index = next++;
          if (await feed(samples[index]!, `fuzz-${index}`)) accepted += 1;
        }
      };
      // Another agent must be reconciled each time that its valid declaration changes.
      const canary = async (): Promise<void> => {
        do await changeCanary();
        while (next < samples.length);
      };
      await Promise.all([canary(), ...Array.from({ length: 8 }, worker)]);
      // Most changes violate the schema, but enough specs must pass it, or the test has tested nothing. In a short run,
      // possibly only the unchanged specs pass.
      expect(accepted).toBeGreaterThanOrEqual(IS_NIGHTLY ? INPUTS / 20 : kinds.length);
      expect(escaped).toEqual([]);
    },
    60_000 + INPUTS * 500,
  );

  /** Creates the Secrets and the ConfigMap that the model's transitions refer to. */
  async function prepare({ name }: Life): Promise<void> {
    const metadata = (suffix: string, labels = {}) => ({ name: `${name}-${suffix}`, labels });
    const stringData = { key: 'value' };
    const allowed = { 'parley.dev/allow': 'true' };
    const { kubectlApply } = engine.cluster!;
    const secret = { apiVersion: 'v1', kind: 'Secret', stringData };
    await kubectlApply({ ...secret, metadata: metadata('allowed', allowed) });
    await kubectlApply({ ...secret, metadata: metadata('forbidden') });
  }

  async function live(life: Life, act: Transition, step: number): Promise<void> {
    const { name } = life;
    const { kubectlApply, client } = engine.cluster!;
    if ('configMap' in act) {
      life.configMap = act.configMap;
      const metadata = { name: `${name}-text`, namespace: 'default' };
      if (act.configMap === null) {
        await client
          .request({ method: 'DELETE', path: objectPath('ConfigMap', metadata) })
          .catch(() => undefined); // The ConfigMap may not exist yet.
      } else {
        const data = { text: act.configMap };
        await kubectlApply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
      }
    } else {
      life.spec = act.spec;
      const spec = JSON.parse(JSON.stringify(act.spec).replaceAll('NAME', name)) as object;
      const manifest = {
        apiVersion: 'parley.dev/v1alpha1',
        kind: 'Agent',
        metadata: { name },
        spec,
      };
      await kubectlApply(manifest);
    }
    if (!life.spec) return; // The agent is not declared yet.
    reconcile(life);
    await engine.eventually(
      async () => {
        const agent = await read('Agent', name);
        const expected = statusOf(life);
        const { conditions, observedGeneration, ...rest } = summary(agent);
        const isSame =
          JSON.stringify(rest) === JSON.stringify(expected.rest) &&
          expected.ready.includes(conditions['Ready'] ?? '') &&
          observedGeneration === agent.metadata.generation;
        return isSame;
      },
      async () => ({
        step,
        act,
        expected: statusOf(life),
        actual: summary(await read('Agent', name)),
      }),
    );
  }

  /** Declares one spec. Returns false if the API server rejects it. */
  async function feed(
    { kind, spec }: { kind: string; spec: unknown },
    name: string,
  ): Promise<boolean> {
    const { request } = engine.cluster!;
    const place = objectPath(kind, { namespace: 'default', name });
    const object = { apiVersion: 'parley.dev/v1alpha1', kind, metadata: { name }, spec };
    const answer = await request('POST', place.slice(0, place.lastIndexOf('/')), object);
    if (answer.status !== 201) return false;
    await engine.eventually(
      async () => {
        const { status, metadata } = await read(kind, name);
        const { conditions } = summary({ status, metadata });
        return status['observedGeneration'] === metadata.generation && 'Ready' in conditions;
      },
      () => read(kind, name),
    );
    await request('DELETE', place);
    return true;
  }

  let canaryStep = 0;
  async function changeCanary(): Promise<void> {
    canaryStep += 1;
    await engine.declareAgent('canary', { prompt: `text ${canaryStep}` });
    const generation = canaryStep;
    await engine.eventually(async () => {
      const { status } = await read('Agent', 'canary');
      return Number(status['observedGeneration']) >= generation;
    });
  }

  async function read(kind: string, name: string): Promise<Resource> {
    const path = objectPath(kind, { namespace: 'default', name });
    return toResource(kind, await engine.cluster!.client.request({ method: 'GET', path }));
  }
});

function specOf(name: string) {
  const read = readText(readCorpus('good').find((entry) => entry.name === name)!.text);
  if (!('applied' in read)) throw new Error(read.fields.join());
  return read.applied;
}

/** Returns the parts of the status that the model contains, and the reason of each condition by type. */
function summary({ status }: Pick<Resource, 'status' | 'metadata'>) {
  type Shown = { type: string; status: string; reason: string };
  const conditions = (status['conditions'] ?? []) as Shown[]; // The CRD's schema ensures this.
  const text = conditions.map(({ type, status: is, reason }) => [type, `${is} ${reason}`]);
  return {
    activeVersion: status['activeVersion'] ?? null,
    latestVersion: status['latestVersion'] ?? null,
    pinned: conditions.find(({ type }) => type === 'Pinned')?.status ?? null,
    isHeld: conditions.some(({ type }) => type === 'Stalled' || type === 'Reconciling'),
    conditions: Object.fromEntries(text) as Record<string, string>,
    observedGeneration: status['observedGeneration'],
  };
}
