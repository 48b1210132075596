import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findKubeBinaries } from '../../platform/kubernetes/kube-binaries.ts';
import { startKube, type OwnKube } from '../../platform/kubernetes/kube.ts';
import { FAULTS, OUTAGES, type FaultName } from './operator-faults.ts';
import type { AgentModel, EndpointModel } from './operator-model.ts';
import { startOperatorPair, type OperatorPair } from './operator-pair.ts';
import { createOperatorHarness, type OperatorHarness } from './operator-harness.ts';
import { roundsOf } from '../../nightly.ts';
import { createSeeded, type Seeded } from '../../random/seeded.ts';

/**
 * Two operators run, one of which leads. People declare, change and delete objects, one after the other, and wait for
 * each result. In each round, one fault occurs meanwhile. Every change must succeed, and the API server and the
 * database must match the model.
 *
 * `npm test` runs one round for each fault. Otherwise FAULT_ROUNDS sets the number of rounds. FAULT_SEED determines the
 * changes and the faults, but not the timing. FAULT_KIND (part of a name) selects matching faults only. FAULT_LOG=1
 * logs each round.
 */
const ROUNDS = roundsOf(0);
const SEED = Number(process.env['FAULT_SEED'] ?? Date.now() % 2 ** 31);
const AGENTS = ROUNDS > 0 ? ['anna', 'ben', 'cleo', 'dora', 'emil', 'fay'] : ['anna', 'ben'];
const ENDPOINTS = ROUNDS > 0 ? ['hook-1', 'hook-2', 'hook-3', 'hook-4'] : ['hook-1', 'hook-2'];
/** Objects that change only at the end of a round, to check that every watch still works. */
const PROBE = { agent: 'zoe', endpoint: 'hook-0' };
const ACTS_MAX = 3;
/** Time limit for the first declarations and for each round on a slow machine. */
const ROUND_MS = 150_000;

// The cast narrows the result of Object.keys, whose type is wider.
const ALL = Object.keys(FAULTS) as FaultName[];
type Course = {
  name: string;
  leaseDurationMs?: number;
  kinds: readonly FaultName[];
  rounds: number;
};

const COURSES: Course[] = [
  { name: 'lead-changes', leaseDurationMs: 2_000, kinds: ALL, rounds: ROUNDS - outageRounds() },
  { name: 'outages', leaseDurationMs: 60_000, kinds: OUTAGES, rounds: outageRounds() },
  { name: 'each-fault', kinds: ALL, rounds: 0 },
].filter(({ name, rounds }) => (ROUNDS > 0 ? rounds > 0 : name === 'each-fault'));

const HAND_OVER = 'the leader dies and its successor has heard nothing yet';

/** Rows of the fault matrix. */
const EACH: [string, FaultName][] = [
  ['F-35: killed between two side effects', 'the leader is killed between two side effects'],
  ['F-36: one of two is killed', 'an operator is killed'],
  ['F-37: both are killed', 'all operators are killed'],
  ['F-38: killed, and the successor has heard nothing of late', HAND_OVER],
  ['F-39: stopped in order', 'the leader is stopped'],
  [
    'F-40: paused between two side effects, and resumed when another leads',
    'the leader is paused between two side effects, and goes on',
  ],
  [
    'F-41: cut off from the API server until another leads',
    'the leader is cut off, and comes back',
  ],
  ['F-42: connections to the API server are cut', 'all connections to the API server are cut'],
  ['F-44: etcd is killed', 'etcd is killed'],
  // This fault also restarts the API server, which would take most of the time of two separate tests.
  ['F-43, F-45: the API server is killed, and its history compacted', 'the history is compacted'],
  ['F-46: connections to the database are ended', 'the database ends all connections'],
];

function outageRounds(): number {
  return Math.floor(ROUNDS / 3);
}

type Act = { what: string; run: (harness: OperatorHarness) => Promise<void> };

const binaries = await findKubeBinaries();
const suite = binaries ? describe : describe.skip;

let kube: OwnKube;
if (binaries) {
  beforeAll(async () => {
    kube = await startKube();
  }, 90_000);
  afterAll(() => kube.stop());
}

suite.each(COURSES)('two operators, of which one leads: $name', (course) => {
  const { name, leaseDurationMs } = course;
  const kinds = course.kinds.filter((kind) => kind.includes(process.env['FAULT_KIND'] ?? ''));
  const rounds = kinds.length === 0 ? 0 : course.rounds;
  let harness: OperatorHarness;
  let pair: OperatorPair;
  beforeAll(async () => {
    harness = await createOperatorHarness({
      kube,
      namespace: name,
      agents: [PROBE.agent, ...AGENTS],
      endpoints: [PROBE.endpoint, ...ENDPOINTS],
    });
    pair = await startOperatorPair({ kube, harness, leaseDurationMs });
    await pair.repair(); // The first fault needs a second operator that stands by.
  }, 90_000);
  afterAll(async () => {
    await pair.stop();
    await harness.close();
  });

  /** Creates every object that does not exist yet. */
  async function makeAll(): Promise<void> {
    const { changeAgent, changeEndpoint } = harness;
    for (const { name: agent } of harness.model.agents) {
      await changeAgent(agent, (one) => (one.exists = true));
    }
    for (const endpoint of [PROBE.endpoint, ...ENDPOINTS.slice(1)]) {
      await changeEndpoint(endpoint, (one) => (one.exists = true));
    }
    await changeAgent(PROBE.agent, ({ declared }) => (declared.configMap = 'probe'));
    await changeAgent(PROBE.agent, ({ declared }) => (declared.fromConfigMap = true));
  }

  async function probe(number: number): Promise<void> {
    const { changeAgent, changeEndpoint, loseSecret } = harness;
    await changeAgent(PROBE.agent, ({ declared }) => (declared.configMap = `probe ${number % 4}`));
    await changeEndpoint(PROBE.endpoint, ({ declared }) => (declared.description = `${number}`));
    await loseSecret(PROBE.endpoint);
  }

  async function round(number: number, kind: FaultName, acts: readonly Act[]): Promise<void> {
    const title = `${name} ${number}: ${kind} while ${acts.map(({ what }) => what).join(', ')}`;
    const startedAtMs = performance.now();
    const over = Promise.withResolvers<void>();
    const fault = FAULTS[kind]({ pair, seeded: createSeeded(SEED + number), over: over.promise });
    try {
      for (const { run } of acts) await run(harness);
      over.resolve();
      await fault;
      await pair.repair();
      await probe(number);
      await harness.onlyGrew();
      expect(pair.bugs()).toEqual([]);
    } catch (error) {
      over.resolve();
      await Promise.race([fault.catch(() => undefined), delay(10_000)]); // The fault may never end.
      // The runner shows the difference only for the last error.
      console.error(`seed ${SEED}, ${title}\n${pair.story()}`);
      throw error;
    }
    if (process.env['FAULT_LOG'] !== undefined) {
      process.stderr.write(`${title} (${Math.round(performance.now() - startedAtMs)} ms)\n`);
    }
  }

  /** Tests the change of leaders with every seed. A successor must not act on less information than its predecessor. */
  async function handOver(): Promise<void> {
    await round(0, HAND_OVER, [
      { what: 'edit', run: ({ changeAgent }) => changeAgent('anna', (agent) => edit(agent, 1)) },
      {
        what: 'make',
        run: ({ changeEndpoint }) => changeEndpoint(ENDPOINTS[0]!, (it) => (it.exists = true)),
      },
    ]);
  }

  describe.runIf(ROUNDS === 0)('after a fault the end is what the model says', () => {
    beforeAll(makeAll);

    test.each(EACH.filter(([, kind]) => kinds.includes(kind)))(
      '%s',
      async (row, kind) => {
        if (kind === HAND_OVER) return handOver();
        const number = Number(/\d+/.exec(row));
        const change = (agent: AgentModel): void => edit(agent, number);
        await round(number, kind, [
          { what: 'edit', run: ({ changeAgent }) => changeAgent('anna', change) },
        ]);
      },
      ROUND_MS,
    );
  });

  const title = `the end is what the model says in ${rounds} rounds (seed ${SEED})`;
  const logRounds = (counts: ReadonlyMap<string, number>, terms: number): void => {
    const activations = harness.model.agents.reduce((sum, { log }) => sum + log.length, 0);
    const faults = [...counts].map(([kind, count]) => `${count} x ${kind}`).join('; ');
    console.info(
      `seed ${SEED}: ${rounds} rounds, ${activations} activations, ${terms} terms; ${faults}`,
    );
  };

  (rounds === 0 ? test.skip : test)(
    title,
    async () => {
      const seeded = createSeeded(SEED);
      const counts = new Map<FaultName, number>();
      let bag: FaultName[] = [];
      await makeAll();
      if (course.kinds === ALL) await handOver();
      for (let number = 1; number <= rounds; number += 1) {
        // Every kind occurs once before any kind occurs again.
        if (bag.length === 0) bag = seeded.shuffled(kinds);
        const kind = bag.pop()!;
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
        const count = 1 + seeded.below(ACTS_MAX);
        await round(
          number,
          kind,
          Array.from({ length: count }, () => newAct(seeded)),
        );
      }
      const { rows } = await harness.pool.query<{ epoch: number }>(
        'select epoch from leader_epochs',
      );
      logRounds(counts, rows[0]?.epoch ?? 0);
    },
    (rounds + 2) * ROUND_MS,
  );
});

/** Returns a change that depends only on the seed. Its effect depends on the state at the time of the change. */
function newAct(seeded: Seeded): Act {
  const isAgent = seeded.below(4) > 0;
  const number = seeded.below(1_000_000);
  const name = seeded.pick(isAgent ? AGENTS : ENDPOINTS);
  if (isAgent) {
    const [what, change] = seeded.pick(AGENT_ACTS);
    const run: Act['run'] = ({ changeAgent }) =>
      changeAgent(name, (agent) => {
        // A deleted, suspended or manual agent has few effects, so it usually does not stay in that state.
        if (!agent.exists) agent.exists = true;
        else if (agent.declared.suspended && number % 4 > 0) agent.declared.suspended = false;
        else if (agent.declared.manual && number % 4 > 0) agent.declared.manual = false;
        else change(agent, number);
      });
    return { what: `${what} ${name}`, run };
  }
  const [what, change] = seeded.pick(ENDPOINT_ACTS);
  return {
    what: `${what} ${name}`,
    run: async (harness) => {
      const { exists } = harness.model.endpoints.find((endpoint) => endpoint.name === name)!;
      if (exists && what === 'rotate the secret of') return harness.rotateSecret(name);
      if (exists && what === 'lose the secret of') return harness.loseSecret(name);
      await harness.changeEndpoint(name, (endpoint) => {
        if (!endpoint.exists) endpoint.exists = true;
        else change(endpoint, number);
      });
    },
  };
}

/** Returns a text. Some texts repeat, so that content returns to an earlier version. Others are new. */
function textOf(number: number): string {
  return number % 3 === 0 ? `text ${number}` : `text ${number % 5}`;
}

function edit({ declared }: AgentModel, number: number): void {
  if (declared.fromConfigMap) declared.configMap = textOf(number);
  else declared.inline = textOf(number);
}

const AGENT_ACTS: [string, (agent: AgentModel, number: number) => void][] = [
  ['edit', edit],
  ['edit', edit],
  ['edit', edit],
  ['edit', edit],
  ['edit', edit],
  ['edit', edit],
  ['edit the ConfigMap of', ({ declared }, number) => (declared.configMap = textOf(number))],
  ['delete the ConfigMap of', ({ declared }) => (declared.configMap = undefined)],
  ['read from elsewhere for', ({ declared }) => (declared.fromConfigMap = !declared.fromConfigMap)],
  ['rename', ({ declared }, number) => (declared.displayName = `name ${number}`)],
  ['pin', ({ declared, versions }, number) => (declared.pin = pinOf(versions, number))],
  ['pin', ({ declared, versions }, number) => (declared.pin = pinOf(versions, number))],
  ['unpin', ({ declared }) => (declared.pin = undefined)],
  ['unpin', ({ declared }) => (declared.pin = undefined)],
  ['unpin', ({ declared }) => (declared.pin = undefined)],
  ['change the policy of', ({ declared }) => (declared.manual = !declared.manual)],
  ['suspend or resume', ({ declared }) => (declared.suspended = !declared.suspended)],
  ['delete', (agent) => (agent.exists = false)],
];

/**
 * Returns a version to pin. The range exceeds the existing versions by one, so some pins name a version that does not
 * exist.
 */
function pinOf(versions: readonly string[], number: number): number {
  return 1 + (number % (versions.length + 1));
}

const ENDPOINT_ACTS: [string, (endpoint: EndpointModel, number: number) => void][] = [
  ['edit', ({ declared }, number) => (declared.description = `number ${number}`)],
  ['move', ({ declared }, number) => (declared.url = `https://127.0.0.1/${number}`)],
  ['subscribe', ({ declared }, number) => (declared.eventTypes = TYPES[number % TYPES.length]!)],
  ['suspend or resume', ({ declared }) => (declared.suspended = !declared.suspended)],
  ['delete', (endpoint) => (endpoint.exists = false)],
  ['rotate the secret of', () => undefined],
  ['lose the secret of', () => undefined],
];

const TYPES = [[], ['agent.*'], ['conversation.*'], ['agent.*', 'conversation.ended']];
