import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findKubeBinaries } from '../../platform/kubernetes/kube-binaries.ts';
import { borrowKube, type Kube } from '../../platform/kubernetes/kube.ts';
import { startOperatorProcess, type OperatorProcess } from './operator-process.ts';
import { createOperatorHarness, type OperatorHarness } from './operator-harness.ts';
import { IS_NIGHTLY, roundsOf } from '../../nightly.ts';
import { createSeeded } from '../../random/seeded.ts';
import type { Strike } from './side-effects.ts';

/**
 * The operator is killed between any two of its side effects and another operator continues, or it is paused there
 * until another operator has continued. The result must match the model, with one version and one event for each change
 * of content. A run without faults first lists the side effects. Then, for each side effect, one run is interrupted
 * before it and one run after it.
 *
 * This file runs at night. With FAULT_ROUNDS >= 50, all of these runs take place, otherwise a sample that FAULT_SEED
 * determines. FAULT_KIND (part of a kind) selects matching kinds only. FAULT_LOG=1 logs each run.
 */
const ROUNDS = roundsOf(1);
const SEED = Number(process.env['FAULT_SEED'] ?? Date.now() % 2 ** 31);

const AGENT = 'agent';
const HOOK = 'hook';

/** Changes of a run. Each waits for its result, so that the operator sees every change and the model is exact. */
const SCRIPT: ((harness: OperatorHarness) => Promise<void>)[] = [
  ({ changeAgent }) => changeAgent(AGENT, (agent) => (agent.exists = true)),
  ({ changeEndpoint }) => changeEndpoint(HOOK, (endpoint) => (endpoint.exists = true)),
  ({ changeAgent }) => changeAgent(AGENT, ({ declared }) => (declared.inline = 'two')),
  ({ changeAgent }) => changeAgent(AGENT, ({ declared }) => (declared.pin = 1)),
  ({ changeAgent }) => changeAgent(AGENT, ({ declared }) => (declared.pin = undefined)),
  ({ changeAgent }) => changeAgent(AGENT, ({ declared }) => (declared.fromConfigMap = true)),
  ({ changeAgent }) => changeAgent(AGENT, ({ declared }) => (declared.configMap = 'three')),
  ({ changeAgent }) => changeAgent(AGENT, ({ declared }) => (declared.configMap = 'one')),
  ({ changeEndpoint }) => changeEndpoint(HOOK, ({ declared }) => (declared.description = 'new')),
  ({ changeEndpoint }) => changeEndpoint(HOOK, (endpoint) => (endpoint.exists = false)),
  ({ changeAgent }) => changeAgent(AGENT, (agent) => (agent.exists = false)),
];

const binaries = await findKubeBinaries();
// In `npm test`, operator-rounds.faults kills and pauses the leader between two side effects instead.
const suite = binaries && IS_NIGHTLY ? describe : describe.skip;

suite('an operator killed or paused between any two side effects', () => {
  let kube: Kube;
  let count = 0;
  const awake = new WeakSet<OperatorProcess>();
  beforeAll(async () => {
    kube = await borrowKube();
  }, 90_000);
  afterAll(() => kube.stop());

  const newHarness = (): Promise<OperatorHarness> => {
    count += 1;
    const namespace = `failpoint-${count}`;
    return createOperatorHarness({ kube, namespace, agents: [AGENT], endpoints: [HOOK] });
  };

  /** Returns the kinds of all side effects of a run, in order. */
  async function runWithoutFaults(): Promise<string[]> {
    const harness = await newHarness();
    const operator = startOperatorProcess({ ...harness.options, name: 'only' });
    try {
      for (const act of SCRIPT) await act(harness);
      return operator.effects;
    } finally {
      await operator.stop();
      await harness.close();
    }
  }

  /** Interrupts a run at a side effect. Returns false if the run never reached that side effect. */
  async function runUntil(strike: Strike): Promise<boolean> {
    const harness = await newHarness();
    const victim = startOperatorProcess({ ...harness.options, name: 'victim', strike });
    const operators = [victim];
    const successors = startSuccessor(harness, victim, operators);
    try {
      for (const act of SCRIPT) {
        await act(harness);
        if (await goOn(victim)) await harness.agrees();
      }
      await harness.onlyGrew();
      return victim.struck() !== undefined;
    } catch (error) {
      const logs = operators.map(({ name, output }) => `--- ${name}\n${output().slice(-6_000)}`);
      throw new Error(`after ${JSON.stringify(strike)}\n${logs.join('\n')}`, { cause: error });
    } finally {
      await Promise.all(operators.map(({ kill }) => kill()));
      await successors;
      await harness.close();
    }
  }

  /** Resumes a paused victim after another operator has acted. Returns true once the victim has stepped down. */
  async function goOn(victim: OperatorProcess): Promise<boolean> {
    if (victim.struck()?.signal !== 'SIGSTOP' || awake.has(victim)) return false;
    awake.add(victim);
    victim.signal('SIGCONT');
    await victim.until(() => victim.epoch() === undefined);
    return true;
  }

  /**
   * Starts an operator that stands by and learns of a strike to the victim immediately. Without the test, it would
   * learn of it only later, from the Lease.
   */
  async function startSuccessor(
    { options, endLease }: OperatorHarness,
    victim: OperatorProcess,
    operators: OperatorProcess[],
  ): Promise<void> {
    const isStruck = (): boolean => victim.struck() !== undefined || !victim.isAlive();
    await victim.until(() => victim.epoch() !== undefined || isStruck());
    operators.push(startOperatorProcess({ ...options, name: 'successor' }));
    await victim.until(isStruck);
    await endLease('victim');
  }

  test(`one version and one event per content change (seed ${SEED})`, async () => {
    const kinds = await runWithoutFaults();
    const strikes = strikesAt(kinds);
    const { shuffled } = createSeeded(SEED);
    const all = ROUNDS >= 50;
    const wanted = strikes.filter(({ kind }) => kind.includes(process.env['FAULT_KIND'] ?? ''));
    const chosen = all ? wanted : shuffled(wanted);
    const missed: Strike[] = [];
    let hits = 0;
    const hit = new Set<string>();
    for (const strike of chosen) {
      if (!all && hits >= ROUNDS) break;
      if (await runUntil(strike)) {
        hits += 1;
        hit.add(boundaryOf(strike));
      } else missed.push(strike);
      if (process.env['FAULT_LOG'] === undefined) continue;
      const what = missed.includes(strike) ? 'missed' : 'hit';
      process.stderr.write(`${what} ${boundaryOf(strike)} ${strike.nth}\n`);
    }
    console.info(
      `seed ${SEED}: struck at ${hits} of ${strikes.length} points around ` +
        `${kinds.length} side effects of ${new Set(kinds).size} kinds; ` +
        `${hit.size} of ${boundariesOf(strikes).length} boundaries of a kind hit`,
    );
    // Runs may differ in the number of repetitions, but not in the kinds.
    expect(missed.length).toBeLessThanOrEqual(all ? chosen.length / 4 : ROUNDS);
    if (all) expect(boundariesOf(wanted).filter((boundary) => !hit.has(boundary))).toEqual([]);
  }, 3_600_000);
});

/** Returns the strikes for these side effects. Only the first Lease renewal counts, because others depend on time. */
function strikesAt(kinds: readonly string[]): (Strike & { kind: string })[] {
  const seen = new Map<string, number>();
  return kinds.flatMap((kind) => {
    const nth = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, nth);
    if (kind === 'PUT leases' && nth > 1) return [];
    const killed = { kind, nth, signal: 'SIGKILL' } as const;
    // A pause before a read is equivalent to a pause before the next side effect.
    const asks = /^(sql: select|read_|sql: begin)/.test(kind);
    return [
      { ...killed, when: 'before' },
      { ...killed, when: 'after' },
      ...(asks ? [] : [{ ...killed, when: 'before', signal: 'SIGSTOP' } as const]),
    ] as const;
  });
}

function boundariesOf(strikes: readonly (Strike & { kind: string })[]): string[] {
  return [...new Set(strikes.map(boundaryOf))];
}

function boundaryOf({ signal, when, kind }: Strike & { kind: string }): string {
  return `${signal} ${when} ${kind}`;
}
