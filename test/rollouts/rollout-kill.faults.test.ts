import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readLiveContent } from '../../src/agents/agent-versions.sql.ts';
import { APPLY_PATCH } from '../../src/platform/kubernetes/client.ts';
import { objectPath, pathOf } from '../../src/platform/kubernetes/resource-paths.ts';
import { startFaultProxy } from '../platform/fault-proxy.ts';
import { findKubeBinaries } from '../platform/kubernetes/kube-binaries.ts';
import { borrowKube, type Kube } from '../platform/kubernetes/kube.ts';
import { IS_NIGHTLY } from '../nightly.ts';
import { createOperatorHarness, type OperatorHarness } from '../roles/operator/operator-harness.ts';
import { startOperatorProcess, type OperatorProcess } from '../roles/operator/operator-process.ts';
import type { Strike } from '../roles/operator/side-effects.ts';
import { until } from '../until.ts';
import { addEnded } from './stored-rollouts.ts';

/**
 * Operators die, pause or lose a server while they act on a rollout. Whatever happens, each act is recorded once with
 * one event, every start gets a version, and no start sees a weight that was not recorded.
 */

const NAMESPACE = 'rollout-kill';
const STEP = { weight: 10, minConversations: 50 };
const CHECKS = [{ metric: 'escalation_rate', worseBy: 0.05 }];
const LATE = { timeoutMs: 60_000 };

/** Acts of a rollout: its steps, how often the new version escalates, and what must be recorded. */
const ACTS = {
  abort: { steps: [STEP], every: 2, done: 'aborted', live: 1, events: ['agent.rolled_back'] },
  complete: {
    steps: [STEP],
    every: 1_000,
    done: 'completed',
    live: 2,
    events: ['agent.published'],
  },
  advance: {
    steps: [STEP, { ...STEP, weight: 50 }],
    every: 1_000,
    done: 'advanced',
    live: 1,
    events: [],
  },
} as const;
type Act = keyof typeof ACTS;
// The cast is safe: the keys are those of the literal.
const ALL = Object.keys(ACTS) as Act[];

/** Statements that other reconciles send too. */
const COMMON = /^sql: (begin|commit|assert_leader|read_last_rollout_line)$/;
const STATUS = 'PATCH agents/status';

const suite = (await findKubeBinaries()) ? describe : describe.skip;

suite('a rollout while operators fail', () => {
  let kube: Kube;
  let harness: OperatorHarness;
  let count = 0;
  beforeAll(async () => {
    kube = await borrowKube();
    harness = await createOperatorHarness({
      kube,
      namespace: NAMESPACE,
      agents: [],
      endpoints: [],
    });
  }, 90_000);
  afterAll(async () => {
    await harness.close();
    await kube.stop();
  });

  const start = (name: string, more: Partial<typeof harness.options> & { strike?: Strike } = {}) =>
    startOperatorProcess({ ...harness.options, ...more, name });

  async function declare(name: string, prompt: string, act: Act): Promise<void> {
    const rollout = { steps: ACTS[act].steps, checks: CHECKS };
    const spec = { prompt, publishPolicy: 'Progressive', rollout };
    const { apiVersion } = pathOf('Agent');
    await kube.client.request({
      method: 'PATCH',
      path: objectPath('Agent', { namespace: NAMESPACE, name }),
      query: { fieldManager: 'test', force: 'true', fieldValidation: 'Strict' },
      contentType: APPLY_PATCH,
      body: { apiVersion, kind: 'Agent', metadata: { namespace: NAMESPACE, name }, spec },
    });
  }

  type Rolling = { act: Act; name: string; agentId: string; rolloutId: string };

  /** Declares an agent and begins a rollout of its version 2. No operator runs afterwards. */
  async function begin(act: Act): Promise<Rolling> {
    count += 1;
    const name = `${act}-${count}`;
    const operator = start('first');
    const rows = async <Row extends object>(sql: string): Promise<Row | undefined> =>
      (await harness.pool.query<Row>(sql, [name])).rows[0];
    await declare(name, 'One.', act);
    await until(
      'version 1',
      () => rows('select from agents where name = $1 and active_version = 1'),
      LATE,
    );
    await declare(name, 'Two.', act);
    let line: { agentId: string; rolloutId: string } | undefined;
    await until(
      'the rollout',
      async () => {
        line = await rows(
          `select agent_id as "agentId", rollout_id as "rolloutId"
             from agent_rollouts join agents on id = agent_id where name = $1`,
        );
        return line;
      },
      LATE,
    );
    await operator.stop();
    return { act, name, ...line! };
  }

  /** Lets conversations end that decide the act. */
  async function decide({ act, agentId, rolloutId }: Rolling): Promise<void> {
    const of = { agentId, rolloutId, count: 1_000 };
    await addEnded(harness.pool, { ...of, isNew: false }, 1_000);
    await addEnded(harness.pool, { ...of, isNew: true }, ACTS[act].every);
  }

  const linesOf = async ({ agentId }: Rolling) =>
    (
      await harness.pool.query<{ action: string; step: number; weight: number }>(
        'select action, step, weight from agent_rollouts where agent_id = $1 order by seq',
        [agentId],
      )
    ).rows;

  /** Resolves once the act is recorded and the agent's status says so. */
  async function acted(rolling: Rolling): Promise<void> {
    const { done, steps } = ACTS[rolling.act];
    const weight = { aborted: 0, completed: 100, advanced: steps.at(-1)?.weight }[done];
    const path = objectPath('Agent', { namespace: NAMESPACE, name: rolling.name });
    await until(
      `the act ${rolling.act}`,
      async () => {
        const { json } = await kube.request('GET', path);
        const { rollout } = json()['status'] as { rollout?: { weight: number } };
        return rollout?.weight === weight;
      },
      LATE,
    );
  }

  /** Reads the version of new users as starts do, until the returned function is called. It returns what they saw. */
  function readStarts({ agentId }: Rolling) {
    const seen = new Set<string>();
    const state = { isOver: false };
    const reading = (async () => {
      for (let n = 0; !state.isOver; n += 1) {
        const of = { namespace: NAMESPACE, id: agentId, unit: `user-${n}` };
        const live = await readLiveContent(harness.pool, of);
        const { step, weight } = live?.rollout ?? {};
        seen.add(
          JSON.stringify({ version: live?.version !== null && live?.version, step, weight }),
        );
      }
    })();
    return async () => {
      state.isOver = true;
      await reading;
      return [...seen].map(
        (one) => JSON.parse(one) as { version: unknown; step?: number; weight?: number },
      );
    };
  }

  async function expectOnce(
    rolling: Rolling,
    starts: Awaited<ReturnType<ReturnType<typeof readStarts>>>,
  ) {
    const { done, live, events } = ACTS[rolling.act];
    const lines = await linesOf(rolling);
    expect(lines.map(({ action }) => action)).toEqual(['started', done]);
    const { rows } = await harness.pool.query(
      `select (select active_version from agents where id = $1) as live,
              array(select type from events where agent_id = $1 and type like 'agent.%'
                     order by id offset 1) as events,
              (select count(*)::int from agent_activations where agent_id = $1) as activations,
              array(select line from trespasses) as trespasses`,
      [rolling.agentId],
    );
    expect(rows).toEqual([{ live, events, activations: 1 + events.length, trespasses: [] }]);
    const recorded = lines.filter(({ weight }) => weight > 0 && weight < 100);
    for (const { version, step, weight } of starts) {
      expect([1, 2]).toContain(version);
      if (step === undefined) continue;
      expect(recorded).toContainEqual(expect.objectContaining({ step, weight }));
    }
    expect(starts.length).toBeGreaterThan(0);
  }

  /** Interrupts the act there, lets a successor continue, and resumes a paused operator beside it. */
  async function interrupt(act: Act, strike: Strike): Promise<void> {
    const rolling = await begin(act);
    await decide(rolling);
    const stopReading = readStarts(rolling);
    const victim = start('victim', { strike });
    const operators = [victim];
    try {
      await victim.until(() => victim.struck() !== undefined || !victim.isAlive());
      expect(victim.struck()).toEqual(strike);
      await harness.endLease('victim');
      operators.push(start('successor'));
      await acted(rolling);
      if (strike.signal === 'SIGSTOP') {
        victim.signal('SIGCONT');
        await victim.until(() => victim.epoch() === undefined);
      }
      await expectOnce(rolling, await stopReading());
    } finally {
      await stopReading();
      await endAll(operators);
    }
  }

  async function endAll(operators: readonly OperatorProcess[]): Promise<void> {
    await Promise.all(operators.map(({ kill }) => kill()));
    for (const { name } of operators) await harness.endLease(name);
  }

  /** Returns the statements of an act in their order. */
  async function statementsOf(act: Act): Promise<string[]> {
    const rolling = await begin(act);
    await decide(rolling);
    const operator = start('only');
    try {
      await acted(rolling);
      const isFirst = (kind: string): boolean => kind.startsWith('sql: insert into agent_rollouts');
      const kinds = operator.effects.slice(operator.effects.findIndex(isFirst));
      return kinds.slice(0, kinds.indexOf('sql: commit')).filter((kind) => !COMMON.test(kind));
    } finally {
      await endAll([operator]);
    }
  }

  test(
    'the leader is killed after the commit of an abort, before the status',
    () => interrupt('abort', { kind: STATUS, nth: 1, when: 'before', signal: 'SIGKILL' }),
    120_000,
  );

  describe.runIf(IS_NIGHTLY)('at night', () => {
    test.each(ALL)(
      'killed or paused at every statement: %s',
      async (act) => {
        const kinds = [...new Set(await statementsOf(act)), STATUS];
        expect(kinds.length).toBeGreaterThan(1);
        for (const kind of kinds) {
          await interrupt(act, { kind, nth: 1, when: 'before', signal: 'SIGKILL' });
          await interrupt(act, { kind, nth: 1, when: 'after', signal: 'SIGKILL' });
          await interrupt(act, { kind, nth: 1, when: 'before', signal: 'SIGSTOP' });
        }
      },
      1_800_000,
    );

    test('the API server is away until the leader has lost its lead', async () => {
      const rolling = await begin('abort');
      const network = await startFaultProxy(kube.url);
      const server = `https://127.0.0.1:${network.port}`;
      const cut = { kube: { ...harness.options.kube, server }, leaseDurationMs: 2_000 };
      const operator = start('cut-off', cut);
      try {
        await operator.until(() => operator.epoch() !== undefined);
        network.hang();
        await operator.until(() => operator.epoch() === undefined);
        const stopReading = readStarts(rolling);
        await decide(rolling);
        expect(await linesOf(rolling)).toHaveLength(1);
        network.cut();
        network.resume();
        await acted(rolling);
        await expectOnce(rolling, await stopReading());
      } finally {
        await endAll([operator]);
        await network.stop();
      }
    }, 120_000);

    test('the database is away for 30 s', async () => {
      const rolling = await begin('abort');
      const network = await startFaultProxy(harness.options.databaseUrl);
      const operator = start('no-database', {
        databaseUrl: network.through(harness.options.databaseUrl),
      });
      try {
        await operator.until(() => operator.epoch() !== undefined);
        network.refuse();
        network.cut();
        const stopReading = readStarts(rolling);
        await decide(rolling);
        const goneMs = performance.now();
        await until('30 s to pass', () => performance.now() - goneMs > 30_000, LATE);
        expect(await linesOf(rolling)).toHaveLength(1);
        network.accept();
        await acted(rolling);
        await expectOnce(rolling, await stopReading());
      } finally {
        await endAll([operator]);
        await network.stop();
      }
    }, 180_000);
  });
});
