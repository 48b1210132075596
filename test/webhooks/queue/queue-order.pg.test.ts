import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import * as fc from 'fast-check';
import { newUuid } from '../../../src/ids.ts';
import { completeAttempts, markStarted } from '../../../src/webhooks/queue/delivery-queue.sql.ts';
import type { ClaimedDelivery } from '../../../src/webhooks/queue/dispatch-queue.ts';
import {
  failure,
  resultOf,
  startDeliveryFixture,
  type DeliveryFixture,
} from '../delivery-setup.ts';
import { IS_NIGHTLY } from '../../nightly.ts';

/**
 * First attempts (contract/deliveries.md#order) for one endpoint and one conversation start in the order the events
 * happened, and a failing one holds back nothing. "Started" is the moment a claim is answered.
 */
let fixture: DeliveryFixture;

beforeEach(async () => {
  fixture = await startDeliveryFixture();
});

afterEach(async () => {
  await fixture.stop();
});

const emitInOrder = async (conversationId: string, sequences: number[]): Promise<void> => {
  for (const sequence of sequences) await fixture.emit({ conversationId, sequence });
};

const sequencesOf = async (claimed: readonly ClaimedDelivery[]): Promise<number[]> => {
  const { rows } = await fixture.pool.query<{ id: string; sequence: number }>(
    'select id, sequence from delivery_queue where id = any($1)',
    [claimed.map(({ id }) => id)],
  );
  const byId = new Map(rows.map(({ id, sequence }) => [id, sequence]));
  return claimed.map(({ id }) => byId.get(id)!);
};

test('one claim brings the events of a conversation in their order', async () => {
  const endpoint = await fixture.addEndpoint();
  await emitInOrder(newUuid(), [1, 2, 3, 4]);
  expect(await sequencesOf(await fixture.claim(endpoint))).toEqual([1, 2, 3, 4]);
});

test('the next event waits until the one before it has started, then no longer', async () => {
  const endpoint = await fixture.addEndpoint();
  await emitInOrder(newUuid(), [1, 2]);
  const [first] = await fixture.claim(endpoint, 1);
  expect(await fixture.claim(endpoint)).toEqual([]);
  await markStarted(fixture.pool, [first!.id]);
  expect(await sequencesOf(await fixture.claim(endpoint))).toEqual([2]);
});

test('a first event that fails for days holds back nothing', async () => {
  const endpoint = await fixture.addEndpoint();
  await emitInOrder(newUuid(), [1, 2, 3]);
  const [first] = await fixture.claim(endpoint, 1);
  await completeAttempts(fixture.pool, [resultOf(first!, failure(60_000))]);
  expect(await sequencesOf(await fixture.claim(endpoint))).toEqual([2, 3]);
});

test('a conversation that waits holds back no other conversation, endpoint or lone event', async () => {
  const [a, b] = [await fixture.addEndpoint(), await fixture.addEndpoint()];
  await emitInOrder(newUuid(), [1, 2, 3, 4, 5, 6]);
  await fixture.claim(a, 1); // It never says that it started: five wait.
  await emitInOrder(newUuid(), [1]);
  await fixture.emit();
  expect(await fixture.claim(a, 2)).toHaveLength(2);
  expect(await sequencesOf(await fixture.claim(b, 6))).toEqual([1, 2, 3, 4, 5, 6]);
});

test.each(['its lease runs out', 'its leases are released at a restart'])(
  'a claimer that dies before its first event started: the conversation goes on in order when %s',
  async (how) => {
    const endpoint = await fixture.addEndpoint();
    await emitInOrder(newUuid(), [1, 2, 3]);
    await fixture.claim(endpoint, 1);
    if (how === 'its lease runs out') await fixture.travel(30_001);
    else await fixture.endLeases();
    const order: number[] = [];
    // One slot, as after failures: the one that waits must not stand before the one it waits for.
    for (let i = 0; i < 3; i += 1) {
      const claimed = await fixture.claim(endpoint, 1);
      order.push(...(await sequencesOf(claimed)));
      await markStarted(
        fixture.pool,
        claimed.map(({ id }) => id),
      );
    }
    expect(order).toEqual([1, 2, 3]);
  },
);

test('events that are due at the very same moment are claimed in their order', async () => {
  const endpoint = await fixture.addEndpoint();
  await emitInOrder(newUuid(), [1, 2, 3]);
  // Last first, so that neither the index nor the table has them in the right order by chance.
  for (const sequence of [3, 2, 1]) {
    await fixture.pool.query(
      `update delivery_queue set run_at = date_trunc('day', now()) where sequence = $1`,
      [sequence],
    );
  }
  for (const sequence of [1, 2, 3]) {
    const claimed = await fixture.claim(endpoint, 1);
    expect(await sequencesOf(claimed)).toEqual([sequence]);
    await completeAttempts(
      fixture.pool,
      claimed.map((one) => resultOf(one)),
    );
  }
});

type Step = {
  kind: 'emit' | 'claim' | 'markStarted' | 'complete' | 'fail' | 'expire';
  endpoint: number;
  conversation: number;
  slots: number;
  claimers: number;
};

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(
    'emit',
    'emit',
    'claim',
    'claim',
    'markStarted',
    'complete',
    'fail',
    'expire',
  ),
  endpoint: fc.nat({ max: 1 }),
  conversation: fc.nat({ max: 2 }),
  slots: fc.integer({ min: 1, max: 3 }),
  claimers: fc.integer({ min: 1, max: 3 }),
});

/** What the queue has given out so far, and whether that was in order. */
class Run {
  readonly endpoints: string[] = [];
  readonly conversations = [newUuid(), newUuid(), newUuid()];
  readonly #next = [0, 0, 0];
  /** endpoint/conversation → sequences whose first attempt has begun, in order. */
  readonly firsts = new Map<string, number[]>();
  held: ClaimedDelivery[] = [];

  async setUp(): Promise<this> {
    for (let i = 0; i < 2; i += 1) this.endpoints.push(await fixture.addEndpoint());
    return this;
  }

  async act({ kind, endpoint, conversation, slots, claimers }: Step): Promise<void> {
    const held = this.held.filter((one) => one.endpointId === this.endpoints[endpoint]);
    switch (kind) {
      case 'emit': {
        const sequence = (this.#next[conversation]! += 1);
        await fixture.emit({ conversationId: this.conversations[conversation]!, sequence });
        return;
      }
      case 'claim':
        await this.claim(this.endpoints[endpoint]!, slots, claimers);
        return;
      case 'markStarted':
        await markStarted(
          fixture.pool,
          held.map(({ id }) => id),
        );
        return;
      case 'complete':
      case 'fail': {
        const results = held.map((one) => resultOf(one, kind === 'fail' ? failure(0) : {}));
        await completeAttempts(fixture.pool, results);
        this.held = this.held.filter((one) => !held.includes(one));
        return;
      }
      case 'expire':
        await fixture.travel(30_001, 'lease_token is not null');
        return;
      default:
        return kind satisfies never;
    }
  }

  async claim(endpointId: string, slots: number, claimers: number): Promise<number> {
    const rounds = await Promise.all(
      Array.from({ length: claimers }, () => fixture.claim(endpointId, slots, randomUUID())),
    );
    const ids = rounds.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const claimed of rounds) await this.#begin(claimed);
    return ids.length;
  }

  async #begin(claimed: ClaimedDelivery[]): Promise<void> {
    const sequences = await sequencesOf(claimed);
    claimed.forEach((one, i) => {
      const firsts = this.firsts.get(`${one.endpointId}/${one.conversationId}`) ?? [];
      this.firsts.set(`${one.endpointId}/${one.conversationId}`, firsts);
      const sequence = sequences[i]!;
      if (!firsts.includes(sequence)) firsts.push(sequence);
      this.held.push(one);
    });
  }

  checkOrder(): void {
    for (const [where, firsts] of this.firsts) {
      const inOrder = firsts.map((_, i) => i + 1);
      expect({ where, firsts }).toEqual({ where, firsts: inOrder });
    }
  }
}

test('random claims, losses, failures and restarts of several processes keep the order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      await fixture.pool.query('truncate delivery_queue');
      await fixture.pool.query('truncate webhook_endpoints cascade');
      const run = await new Run().setUp();
      for (const one of steps) {
        await run.act(one);
        run.checkOrder();
      }
      // And nobody waits for ever: whoever comes later gets all there is, one slot at a time.
      await fixture.travel(30_001, 'lease_token is not null');
      for (const endpoint of run.endpoints) {
        let left = 500;
        while (left > 0) {
          left -= 1;
          run.held = [];
          if ((await run.claim(endpoint, 1, 1)) === 0) break;
          run.checkOrder();
          await completeAttempts(
            fixture.pool,
            run.held.map((one) => resultOf(one)),
          );
        }
      }
      const { rows } = await fixture.pool.query('select count(*) as left from delivery_queue');
      expect(rows).toEqual([{ left: 0 }]);
    }),
    { numRuns: IS_NIGHTLY ? 60 : 8 },
  );
}, 120_000);
