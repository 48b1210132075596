import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAddressGuard } from '../../../../src/platform/egress/address-guard.ts';
import { checkUrl } from '../../../../src/platform/egress/url-rules.ts';
import { FORBIDDEN, METADATA } from './ssrf-addresses.ts';
import { addressesOf, makeCases } from './ssrf-cases.ts';
import { IS_NIGHTLY } from '../../../nightly.ts';
import { enterNamespace, type SsrfNamespace } from './ssrf-namespace.ts';

/**
 * No request reaches an internal address (contract/running.md#egress, PARLEY_EGRESS_ALLOW). In a network namespace
 * every address exists, and a canary listens on all forbidden ones. The proof is what the canary accepts, and the
 * number of connections that the kernel began; an error alone would prove nothing.
 */

const SEED = Number(process.env['FAULT_SEED'] ?? Date.now() % 2 ** 31);
const cases = makeCases(SEED);
/** The short run takes every eighth form. */
const CASES_MIN = IS_NIGHTLY ? 1_000 : 200;
let namespace: SsrfNamespace;

beforeAll(async () => {
  namespace = await enterNamespace(SEED);
});
afterAll(async () => namespace?.stop());

test('there are enough cases: every forbidden address in every form', () => {
  expect(FORBIDDEN.length).toBeGreaterThanOrEqual(41);
  expect(cases.length).toBeGreaterThanOrEqual(CASES_MIN);
  const addresses = new Set(cases.map(({ address }) => address));
  for (const address of METADATA) expect(addresses).toContain(address);
});

test('the canary is real: without a guard every form reaches it', async () => {
  const { cases: tried, failures } = await namespace.unguarded();
  expect(failures).toEqual([]);
  expect(tried).toBeGreaterThanOrEqual(CASES_MIN);
}, 120_000);

test('the egress client reaches no forbidden address in any form, and the public ones always', async () => {
  const result = await namespace.guarded();
  console.info(`ssrf: FAULT_SEED=${SEED}, ${result.cases} cases, ${result.caught.length} accepted`);
  expect(result.failures).toEqual([]);
  expect(result.caught).toEqual([]);
  expect(result.cases).toBe(cases.length);
  expect(result.received).toBeGreaterThan(0);
  expect(result.begun).toBe(result.received);
}, 120_000);

test('no list of the operator opens the metadata services', async () => {
  const result = await namespace.opened();
  expect(result).toMatchObject({ failures: [], caught: [], begun: 0, received: 0 });
  expect(result.cases).toBeGreaterThanOrEqual((IS_NIGHTLY ? 10 : 3) * METADATA.length);
}, 120_000);

test('a delivery process reaches none by event, test event, replay or retry, whatever proxy its environment names', async () => {
  const result = await namespace.pipeline();
  const { attempts, endpoints } = result;
  console.info(`ssrf: ${endpoints} endpoints, attempts ${JSON.stringify(attempts)}`);
  expect(result.caught).toEqual([]);
  expect(result.failures).toEqual([]);
  expect(result.received).toBeGreaterThan(0);
  // Only the public endpoint has no second attempt.
  for (const way of ['schedule 1', 'schedule 2', 'test 1', 'replay 1']) {
    expect(attempts[way]).toBeGreaterThanOrEqual(endpoints - 1);
  }
  expect(endpoints).toBeGreaterThan(addressesOf(SEED).length);
}, 300_000);

test('no model, no tool and no look at a provider reaches one, by a message or an OpenAI client', async () => {
  const result = await namespace.waysOut();
  const { providers, tools, asExpected } = result;
  console.info(`ssrf: ${providers} providers, ${tools} tools, ${JSON.stringify(asExpected)}`);
  expect(result.caught).toEqual([]);
  expect(result.failures).toEqual([]);
  expect(result.received).toBeGreaterThan(0);
  expect(asExpected).toMatchObject({ tool: tools, probe: providers });
  expect(asExpected.message).toBeGreaterThanOrEqual(Math.floor(providers / 2));
  expect(asExpected.completion).toBeGreaterThanOrEqual(Math.floor(providers / 2));
  expect(Math.min(providers, tools)).toBeGreaterThan(addressesOf(SEED).length);
}, 300_000);

describe('when an endpoint is written', () => {
  const guard = createAddressGuard({ allow: [] });
  const accepted = cases.filter(({ url }) => 'url' in checkUrl(url, guard));

  test('every literal address is refused, however it is spelled', () => {
    const literals = accepted.filter(({ form }) => form.startsWith('literal'));
    expect(literals.map(({ url }) => url)).toEqual([]);
  });

  test('only names pass over https: what they mean is known at connect', () => {
    expect([...new Set(accepted.map(({ form }) => form))]).toEqual(['name, https']);
  });
});

test('where no namespace can be had it fails and says so', async () => {
  await expect(enterNamespace(SEED, '/bin/false')).rejects.toThrow(/did not run.*namespace.*root/);
  await expect(enterNamespace(SEED, 'no-such-program')).rejects.toThrow(/did not run/);
});
