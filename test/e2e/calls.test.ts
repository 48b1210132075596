import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, helm, kubectl } from './kubectl.ts';
import { install, NAMESPACE, prepare, remove } from './release.ts';

/**
 * Calls on a real cluster: the drill of `helm test` rings, with more calls than by default, while every pod of the
 * API is replaced. It passes when no call was dropped, every event came once, and each transcript is what was
 * heard (docs/fire-drill.md).
 */

const INTERRUPTIONS = 100;
const AT_ONCE = 4;
const POD = 'pod/parley-voice-drill';

beforeAll(prepare, 120_000);
afterAll(remove, 120_000);

test('a rolling restart of the API drops no call, and loses no event and no word', async () => {
  const values = {
    'tests.voice.interruptions': INTERRUPTIONS,
    'tests.voice.callsAtOnce': AT_ONCE,
    'tests.voice.timeoutSeconds': 840,
    'api.replicas': 2,
  };
  await install(
    ...Object.entries(values).flatMap(([name, value]) => ['--set', `${name}=${value}`]),
  );
  const before = await pods();
  const drilling = helm('test', 'parley', '-n', NAMESPACE, '--logs', '--timeout', '900s');
  drilling.catch(() => undefined); // It is awaited below.
  await eventually(
    'the drill to ring',
    async () =>
      (await kubectl('-n', NAMESPACE, 'get', POD, '-o', 'jsonpath={.status.phase}')) === 'Running',
  );
  await delay(20_000); // Calls are under way.
  await kubectl('-n', NAMESPACE, 'rollout', 'restart', 'deployment/parley-api');
  await kubectl('-n', NAMESPACE, 'rollout', 'status', 'deployment/parley-api', '--timeout=180s');
  const output = await drilling;
  console.log(output);
  expect(output).toMatch(
    new RegExp(
      `14 calls, 0 failed; ${INTERRUPTIONS} of ${INTERRUPTIONS} interruptions were handled correctly`,
    ),
  );
  await eventually(
    'the old pods to be gone once their calls are over',
    async () => {
      const now = await pods();
      return before.every((name) => !now.includes(name));
    },
    120_000,
  );
}, 1_200_000);

async function pods(): Promise<string[]> {
  const label = 'app.kubernetes.io/component=api';
  const names = await kubectl('-n', NAMESPACE, 'get', 'pods', '-l', label, '-o', 'name');
  return names.split('\n').filter(Boolean);
}
