import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { newUuid } from '../../../src/ids.ts';
import { completeAttempts, markStarted } from '../../../src/webhooks/queue/delivery-queue.sql.ts';
import type { ClaimedDelivery } from '../../../src/webhooks/queue/dispatch-queue.ts';
import { failure, resultOf, startLab, type Lab } from '../delivery-setup.ts';

/**
 * Contract §5: first attempts for one endpoint and one conversation start in the order the events
 * happened, and a failing one holds back nothing. "Started" is the moment a claim is answered.
 */
let lab: Lab;

beforeEach(async () => {
  lab = await startLab();
});

afterEach(async () => {
  await lab.stop();
});

const talk = async (conversationId: string, sequences: number[]): Promise<void> => {
  for (const sequence of sequences) await lab.emit({ conversationId, sequence });
};

const sequencesOf = async (claimed: readonly ClaimedDelivery[]): Promise<number[]> => {
  const { rows } = await lab.pool.query<{ id: string; sequence: number }>(
    'select id, sequence from delivery_queue where id = any($1)',
    [claimed.map(({ id }) => id)],
  );
  const byId = new Map(rows.map(({ id, sequence }) => [id, sequence]));
  return claimed.map(({ id }) => byId.get(id)!);
};

test('one claim brings the events of a conversation in their order', async () => {
  const endpoint = await lab.addEndpoint();
  await talk(newUuid(), [1, 2, 3, 4]);
  expect(await sequencesOf(await lab.claim(endpoint))).toEqual([1, 2, 3, 4]);
});

test('the next event waits until the one before it has started, then no longer', async () => {
  const endpoint = await lab.addEndpoint();
  await talk(newUuid(), [1, 2]);
  const [first] = await lab.claim(endpoint, 1);
  expect(await lab.claim(endpoint)).toEqual([]);
  await markStarted(lab.pool, [first!.id]);
  expect(await sequencesOf(await lab.claim(endpoint))).toEqual([2]);
});

test('a first event that fails for days holds back nothing', async () => {
  const endpoint = await lab.addEndpoint();
  await talk(newUuid(), [1, 2, 3]);
  const [first] = await lab.claim(endpoint, 1);
  await completeAttempts(lab.pool, [resultOf(first!, failure(60_000))]);
  expect(await sequencesOf(await lab.claim(endpoint))).toEqual([2, 3]);
});

test('a conversation that waits holds back no other conversation, endpoint or lone event', async () => {
  const [a, b] = [await lab.addEndpoint(), await lab.addEndpoint()];
  await talk(newUuid(), [1, 2, 3, 4, 5, 6]);
  await lab.claim(a, 1); // Started it never tells: five wait.
  await talk(newUuid(), [1]);
  await lab.emit();
  expect(await lab.claim(a, 2)).toHaveLength(2);
  expect(await sequencesOf(await lab.claim(b, 6))).toEqual([1, 2, 3, 4, 5, 6]);
});

test.each(['its lease runs out', 'its leases are released at a restart'])(
  'a claimer that dies before its first event started: the conversation goes on in order when %s',
  async (how) => {
    const endpoint = await lab.addEndpoint();
    await talk(newUuid(), [1, 2, 3]);
    await lab.claim(endpoint, 1);
    if (how === 'its lease runs out') await lab.travel(30_001);
    else await lab.endLeases();
    const order: number[] = [];
    // One slot, as after failures: the one that waits must not stand before the one it waits for.
    for (let i = 0; i < 3; i += 1) {
      const claimed = await lab.claim(endpoint, 1);
      order.push(...(await sequencesOf(claimed)));
      await markStarted(
        lab.pool,
        claimed.map(({ id }) => id),
      );
    }
    expect(order).toEqual([1, 2, 3]);
  },
);

test('events that are due at the very same moment are claimed in their order', async () => {
  const endpoint = await lab.addEndpoint();
  await talk(newUuid(), [1, 2, 3]);
  // Last first, so that neither the index nor the table has them in the right order by chance.
  for (const sequence of [3, 2, 1]) {
    await lab.pool.query(
      `update delivery_queue set run_at = date_trunc('day', now()) where sequence = $1`,
      [sequence],
    );
  }
  for (const sequence of [1, 2, 3]) {
    const claimed = await lab.claim(endpoint, 1);
    expect(await sequencesOf(claimed)).toEqual([sequence]);
    await completeAttempts(
      lab.pool,
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
    for (let i = 0; i < 2; i += 1) this.endpoints.push(await lab.addEndpoint());
    return this;
  }

  async act({ kind, endpoint, conversation, slots, claimers }: Step): Promise<void> {
    const held = this.held.filter((one) => one.endpointId === this.endpoints[endpoint]);
    switch (kind) {
      case 'emit': {
        const sequence = (this.#next[conversation]! += 1);
        await lab.emit({ conversationId: this.conversations[conversation]!, sequence });
        return;
      }
      case 'claim':
        await this.claim(this.endpoints[endpoint]!, slots, claimers);
        return;
      case 'markStarted':
        return markStarted(
          lab.pool,
          held.map(({ id }) => id),
        );
      case 'complete':
      case 'fail': {
        const results = held.map((one) => resultOf(one, kind === 'fail' ? failure(0) : {}));
        await completeAttempts(lab.pool, results);
        this.held = this.held.filter((one) => !held.includes(one));
        return;
      }
      case 'expire':
        await lab.travel(30_001, 'lease_token is not null');
        return;
      default:
        return kind satisfies never;
    }
  }

  async claim(endpointId: string, slots: number, claimers: number): Promise<number> {
    const rounds = await Promise.all(
      Array.from({ length: claimers }, () => lab.claim(endpointId, slots, randomUUID())),
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
      await lab.pool.query('truncate delivery_queue');
      await lab.pool.query('truncate webhook_endpoints cascade');
      const run = await new Run().setUp();
      for (const one of steps) {
        await run.act(one);
        run.checkOrder();
      }
      // And nobody waits for ever: whoever comes later gets all there is, one slot at a time.
      await lab.travel(30_001, 'lease_token is not null');
      for (const endpoint of run.endpoints) {
        let left = 500;
        while (left > 0) {
          left -= 1;
          run.held = [];
          if ((await run.claim(endpoint, 1, 1)) === 0) break;
          run.checkOrder();
          await completeAttempts(
            lab.pool,
            run.held.map((one) => resultOf(one)),
          );
        }
      }
      const { rows } = await lab.pool.query('select count(*) as left from delivery_queue');
      expect(rows).toEqual([{ left: 0 }]);
    }),
    { numRuns: 60 },
  );
}, 120_000);
