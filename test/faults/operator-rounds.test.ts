import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findKubeBinaries } from '../support/kube-binaries.ts';
import { startKube, type Kube } from '../support/kube.ts';
import { FAULTS, type FaultName } from '../support/operator-faults.ts';
import type { AgentModel, EndpointModel } from '../support/operator-model.ts';
import { startTown, type Town } from '../support/operator-town.ts';
import { createWorld, type World } from '../support/operator-world.ts';
import { createSeeded, type Seeded } from '../support/seeded.ts';

/**
 * Two operators, one of which leads, and people who declare, change and delete things, one after
 * the other, each waiting for the result. In each round one thing fails meanwhile; whatever it
 * is, each act must come through, and the API server and the database say what the model says.
 *
 * FAULT_ROUNDS rounds; FAULT_SEED decides what is done and what fails, not who is faster. FAULT_KIND
 * (part of a name) leaves the other faults out, FAULT_LOG=1 tells of each round.
 */
const ROUNDS = Number(process.env['FAULT_ROUNDS'] ?? 8);
const SEED = Number(process.env['FAULT_SEED'] ?? Date.now() % 2 ** 31);
// Object.keys widens what it returns.
const KINDS = (Object.keys(FAULTS) as FaultName[]).filter((name) =>
  name.includes(process.env['FAULT_KIND'] ?? ''),
);
const AGENTS = ['anna', 'ben', 'cleo', 'dora', 'emil', 'fay'];
const ENDPOINTS = ['hook-1', 'hook-2', 'hook-3', 'hook-4'];
const ACTS_MAX = 3;
/** The operators of the first round start and everything is made; a slow machine takes its time. */
const ROUND_MS = 150_000;

type Act = { what: string; run: (world: World) => Promise<void> };

const binaries = await findKubeBinaries();
const suite = binaries ? describe : describe.skip;

suite('two operators, of which one leads', () => {
  let kube: Kube;
  let world: World;
  let town: Town;
  beforeAll(async () => {
    kube = await startKube();
    world = await createWorld({ kube, namespace: 'rounds', agents: AGENTS, endpoints: ENDPOINTS });
    town = await startTown({ kube, world });
    await town.repair(); // The first fault needs one that stands by.
  }, 90_000);
  afterAll(async () => {
    await town.stop();
    await world.close();
    await kube.stop();
  });

  async function round(number: number, name: FaultName, acts: readonly Act[]): Promise<void> {
    const title = `round ${number}: ${name} while ${acts.map(({ what }) => what).join(', ')}`;
    const startedAtMs = performance.now();
    const over = Promise.withResolvers<void>();
    const fault = FAULTS[name]({ town, seeded: createSeeded(SEED + number), over: over.promise });
    try {
      for (const { run } of acts) await run(world);
      over.resolve();
      await fault;
      await town.repair();
      await world.agrees();
      await world.onlyGrew();
    } catch (error) {
      over.resolve();
      await Promise.race([fault.catch(() => undefined), delay(10_000)]); // It may wait in vain.
      // jest shows the difference only of the error that it was told of last.
      console.error(`seed ${SEED}, ${title}\n${town.story()}`);
      throw error;
    }
    if (process.env['FAULT_LOG'] !== undefined) {
      process.stderr.write(`${title} (${Math.round(performance.now() - startedAtMs)} ms)\n`);
    }
  }

  test(
    `the end is what the model says in ${ROUNDS} rounds (seed ${SEED})`,
    async () => {
      const seeded = createSeeded(SEED);
      const counts = new Map<FaultName, number>();
      let bag: FaultName[] = [];
      for (const name of AGENTS) await world.changeAgent(name, (agent) => (agent.exists = true));
      for (const name of ENDPOINTS.slice(1)) {
        await world.changeEndpoint(name, (endpoint) => (endpoint.exists = true));
      }
      // Whatever the seed brings: who takes over must not act on less than the one before it knew.
      await round(0, 'the leader dies and its successor has heard nothing yet', [
        { what: 'edit', run: ({ changeAgent }) => changeAgent('anna', (agent) => edit(agent, 1)) },
        {
          what: 'make',
          run: ({ changeEndpoint }) => changeEndpoint(ENDPOINTS[0]!, (it) => (it.exists = true)),
        },
      ]);
      for (let number = 1; number <= ROUNDS; number += 1) {
        // All kinds before any comes again.
        if (bag.length === 0) bag = seeded.shuffled(KINDS);
        const fault = bag.pop()!;
        counts.set(fault, (counts.get(fault) ?? 0) + 1);
        const count = 1 + seeded.below(ACTS_MAX);
        await round(
          number,
          fault,
          Array.from({ length: count }, () => newAct(seeded)),
        );
      }
      const { rows } = await world.pool.query<{ epoch: number }>('select epoch from leader_epochs');
      const activations = world.model.agents.reduce((sum, { log }) => sum + log.length, 0);
      console.info(
        `seed ${SEED}: ${ROUNDS} rounds, ${activations} activations, ${rows[0]?.epoch} terms; ` +
          [...counts].map(([name, n]) => `${name}: ${n}`).join('; '),
      );
      expect(rows[0]?.epoch).toBeGreaterThan(1);
    },
    ROUNDS * ROUND_MS,
  );
});

/** Decided now, by the seed alone; what it means is seen when its turn comes. */
function newAct(seeded: Seeded): Act {
  const isAgent = seeded.below(4) > 0;
  const number = seeded.below(1_000_000);
  const name = seeded.pick(isAgent ? AGENTS : ENDPOINTS);
  if (isAgent) {
    const [what, change] = seeded.pick(AGENT_ACTS);
    const run: Act['run'] = ({ changeAgent }) =>
      changeAgent(name, (agent) => {
        // One that is gone, or waits, has no life: it seldom stays so.
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
    run: async (world) => {
      const { exists } = world.model.endpoints.find((endpoint) => endpoint.name === name)!;
      if (exists && what === 'rotate the secret of') return world.rotateSecret(name);
      if (exists && what === 'lose the secret of') return world.loseSecret(name);
      await world.changeEndpoint(name, (endpoint) => {
        if (!endpoint.exists) endpoint.exists = true;
        else change(endpoint, number);
      });
    },
  };
}

/** Some texts come again, so that content goes back to an earlier version; others are new. */
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

/** One more than there are: sometimes a pin is on what does not exist. */
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
