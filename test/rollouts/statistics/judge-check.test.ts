import { describe, expect, test } from 'vitest';
import {
  compareMeans,
  figureOf,
  NO_OBSERVATIONS,
  observe,
  type ArmSums,
  type Stratum,
} from '../../../src/rollouts/statistics/compare-means.ts';
import { compareTails } from '../../../src/rollouts/statistics/compare-tails.ts';
import { criticalValue } from '../../../src/rollouts/statistics/critical-value.ts';
import { judgeCheck } from '../../../src/rollouts/statistics/judge-check.ts';
import { ROLLOUT_METRICS, type RolloutMetric } from '../../../src/agents/agent-rollout.ts';
import { randomFrom, simulateRollout, withRates } from '../simulate.ts';

/** Sums of an arm with `hits` ones among `count` observations. */
const share = (hits: number, count: number): ArmSums => ({
  count,
  x: hits,
  q: count,
  xx: hits,
  xq: hits,
  qq: count,
});
const ratings = (...values: number[]): ArmSums =>
  values.reduce((sums, value) => observe(sums, value), NO_OBSERVATIONS);
const ALONE = { checks: 1, steps: 1, exposure: 1 };

describe('the critical value', () => {
  test('is the boundary of the normal mixture', () => {
    // (1 + 1/2) · (ln 3 + 2 · ln(1 / 0.098)) = 8.616 by hand.
    expect(criticalValue({ alpha: 0.05, ratio: 2 })).toBeCloseTo(2.935, 3);
  });

  test('is infinite without information, and for few data larger than for a single look', () => {
    expect(criticalValue({ alpha: 0.05, ratio: 0 })).toBe(Infinity);
    const ratios = [0.01, 0.1, 1, 10, 100, 1_000];
    for (const ratio of ratios) {
      expect(criticalValue({ alpha: 0.05, ratio })).toBeGreaterThan(1.645);
    }
    expect(criticalValue({ alpha: 0.05, ratio: 0.01 })).toBeGreaterThan(20);
  });

  test('grows as the error probability shrinks', () => {
    const values = [0.05, 0.025, 0.01].map((alpha) => criticalValue({ alpha, ratio: 1 }));
    expect(values).toEqual(values.toSorted((a, b) => a - b));
  });

  test.each([0, 0.06, NaN])('refuses an error probability of %s', (alpha) => {
    expect(() => criticalValue({ alpha, ratio: 1 })).toThrow(RangeError);
  });
});

describe('the difference of two arms', () => {
  test('is the new figure minus the old one', () => {
    const steps = [{ from: share(10, 100), to: share(30, 100) }];
    expect(compareMeans(steps, 1)?.difference).toBeCloseTo(0.2);
  });

  test('weighs the questions of a conversation, not the conversations', () => {
    const of = (...pairs: [number, number][]): ArmSums =>
      pairs.reduce((sums, [x, q]) => observe(sums, x, q), NO_OBSERVATIONS);
    const to = of([1, 1], [0, 9]);
    expect(figureOf(to)).toBe(0.1);
    const steps = [{ from: of([0, 5], [0, 5]), to }];
    expect(compareMeans(steps, 1)?.difference).toBeCloseTo(0.1);
  });

  test('is less certain if the gaps are in few conversations', () => {
    const sumsOf = (each: number[]): ArmSums =>
      each.reduce((sums, x) => observe(sums, x, 10), NO_OBSERVATIONS);
    const spread = sumsOf(Array.from({ length: 50 }, () => 1));
    const clumped = sumsOf(Array.from({ length: 50 }, (_, i) => (i < 5 ? 10 : 0)));
    const of = (to: ArmSums) => compareMeans([{ from: share(10, 100), to }], 1)!;
    expect(of(clumped).difference).toBeCloseTo(of(spread).difference);
    expect(of(clumped).variance).toBeGreaterThan(2 * of(spread).variance);
  });

  test('compares each step within itself, whatever the weights and the hours', () => {
    // Both versions escalate 5 % by day and 40 % by night. Pooled arms would differ by 14 points.
    const steps = [
      { from: share(95, 1_900), to: share(5, 100) },
      { from: share(400, 1_000), to: share(400, 1_000) },
    ];
    expect(compareMeans(steps, 1)?.difference).toBeCloseTo(0);
  });

  test('ignores a step in which an arm has no observations', () => {
    const whole = { from: share(10, 100), to: share(30, 100) };
    const half = { from: share(50, 50), to: NO_OBSERVATIONS };
    const otherHalf = { from: NO_OBSERVATIONS, to: share(50, 50) };
    expect(compareMeans([half, whole, otherHalf], 1)).toEqual(compareMeans([whole], 1));
  });

  test.each([
    ['the old version', { from: NO_OBSERVATIONS, to: share(1, 2) }],
    ['the new version', { from: share(1, 2), to: NO_OBSERVATIONS }],
  ])('is unknown without data of %s', (_, step: Stratum) => {
    expect(compareMeans([step], 1)).toBeUndefined();
  });

  test('does not take equal values for certainty', () => {
    const steps = [{ from: ratings(5, 5, 5), to: ratings(1, 1, 1) }];
    const { difference, variance } = compareMeans(steps, 4)!;
    expect(difference).toBe(-4);
    expect(Math.sqrt(variance)).toBeGreaterThan(1);
  });
});

describe('the difference of two tails', () => {
  const conversations = (count: number, msOf: (i: number) => number): number[][] =>
    Array.from({ length: count }, (_, i) => [msOf(4 * i), msOf(4 * i + 1), msOf(4 * i + 2)]);
  const spread = (slower: number) => (i: number) => ((i * 7_919) % 1_000) + slower;

  test('lies within bounds that narrow with the data', () => {
    const of = (count: number) =>
      compareTails(
        { from: conversations(count, spread(0)), to: conversations(count, spread(400)) },
        0.05,
      )!;
    const [few, many] = [of(300), of(2_000)];
    for (const { low, high } of [few, many]) {
      expect(low).toBeLessThanOrEqual(400);
      expect(high).toBeGreaterThanOrEqual(400);
    }
    expect(many.high - many.low).toBeLessThan(few.high - few.low);
    expect(many.low).toBeGreaterThan(300);
  });

  test('has no upper bound while too few times are beyond the percentile', () => {
    const few = conversations(20, spread(0));
    expect(compareTails({ from: few, to: few }, 0.05)).toMatchObject({
      low: -Infinity,
      high: Infinity,
    });
  });

  test('is less certain if the slow turns are in few conversations', () => {
    const slowIn = (isSlow: (conversation: number, turn: number) => boolean): number[][] =>
      Array.from({ length: 400 }, (_, i) =>
        Array.from({ length: 10 }, (__, turn) => (isSlow(i, turn) ? 5_000 + i : 100 + i / 10)),
      );
    const [clumped, apart] = [slowIn((i) => i % 25 === 0), slowIn((i, turn) => turn === i % 25)];
    const widthOf = (times: number[][]): number => {
      const { low, high } = compareTails({ from: times, to: times }, 0.05)!;
      return high - low;
    };
    expect(widthOf(clumped)).toBeGreaterThan(widthOf(apart));
  });

  test('is unknown without data of an arm', () => {
    expect(compareTails({ from: [], to: [[1]] }, 0.05)).toBeUndefined();
    expect(compareTails({ from: [[1]], to: [] }, 0.05)).toBeUndefined();
  });
});

describe('a check', () => {
  const escalations = { metric: 'escalation_rate', worseBy: 0.05 } as const;
  const judged = (to: ArmSums, of: Partial<typeof ALONE> = {}) =>
    judgeCheck(escalations, { steps: [{ from: share(100, 1_000), to }] }, { ...ALONE, ...of });

  test('finds a version that is worse beyond chance, and by as much as declared', () => {
    expect(judged(share(80, 300)).verdict).toBe('worse');
  });

  test('does not count a difference that chance can explain', () => {
    const { interval, verdict } = judged(share(8, 50));
    expect(interval!.difference).toBeGreaterThan(0.05);
    expect(verdict).toBe('undecided');
  });

  test('tolerates a certain difference that is smaller than declared', () => {
    const many = { from: share(10_000, 100_000), to: share(12_000, 100_000) };
    const { interval, verdict } = judgeCheck(escalations, { steps: [many] }, ALONE);
    expect(interval!.low).toBeGreaterThan(0);
    expect(verdict).toBe('passed');
  });

  test('passes if the harm at the next weight is certainly small', () => {
    expect(judged(share(10, 100), { exposure: 1 }).verdict).toBe('undecided');
    expect(judged(share(10, 100), { exposure: 0.25 }).verdict).toBe('passed');
  });

  test('needs more certainty beside other checks', () => {
    const one = judged(share(30, 200));
    const among = judged(share(30, 200), { checks: 5 });
    expect(among.interval!.low).toBeLessThan(one.interval!.low);
    expect(among.interval!.high).toBeGreaterThan(one.interval!.high);
  });

  test.each([
    ['the new version', { from: share(100, 1_000), to: share(19, 19) }],
    ['the old version', { from: share(0, 19), to: share(500, 1_000) }],
  ])('decides nothing on 19 conversations of %s', (_, step) => {
    const { interval, verdict } = judgeCheck(escalations, { steps: [step] }, ALONE);
    expect(interval!.low).toBeGreaterThan(0);
    expect(verdict).toBe('undecided');
  });

  test('without data is undecided and has no interval', () => {
    const none = { from: NO_OBSERVATIONS, to: NO_OBSERVATIONS };
    const check = { metric: 'csat_average', worseBy: 0.3 } as const;
    expect(judgeCheck(check, { steps: [none] }, ALONE)).toEqual({
      ...check,
      interval: undefined,
      verdict: 'undecided',
    });
  });

  test.each(Object.keys(ROLLOUT_METRICS) as RolloutMetric[])(
    'of %s knows the direction of harm',
    (metric) => {
      const { worse, range } = ROLLOUT_METRICS[metric];
      const times = (ms: number): number[][] => Array.from({ length: 500 }, () => [ms, ms + 1]);
      const valuesOf = (high: boolean): ArmSums =>
        metric === 'csat_average'
          ? ratings(...Array.from({ length: 500 }, () => (high ? 5 : 1)))
          : share(high ? 450 : 50, 500);
      const observed = (isToHigh: boolean) =>
        range === null
          ? { times: { from: times(isToHigh ? 100 : 900), to: times(isToHigh ? 900 : 100) } }
          : { steps: [{ from: valuesOf(!isToHigh), to: valuesOf(isToHigh) }] };
      const verdictOf = (isToHigh: boolean) =>
        judgeCheck({ metric, worseBy: 0.1 }, observed(isToHigh), ALONE).verdict;
      expect(verdictOf(worse === 'higher')).toBe('worse');
      expect(verdictOf(worse !== 'higher')).toBe('passed');
    },
  );

  test('of times shares its error probability among the steps', () => {
    const times = Array.from({ length: 600 }, (_, i) => [(i * 7_919) % 1_000]);
    const widthOf = (steps: number): number => {
      const check = { metric: 'turn_latency_p95_ms', worseBy: 100 } as const;
      const terms = { ...ALONE, steps };
      const { interval } = judgeCheck(check, { times: { from: times, to: times } }, terms);
      return interval!.high - interval!.low;
    };
    expect(widthOf(5)).toBeGreaterThan(widthOf(1));
  });
});

describe('simulated rollouts', () => {
  const steps = [
    { weight: 10, minConversations: 40 },
    { weight: 50, minConversations: 100 },
  ];
  const checks = [{ metric: 'escalation_rate', worseBy: 0.05 } as const];
  const ends = (from: number, to: number) =>
    Array.from({ length: 40 }, (_, seed) =>
      simulateRollout(
        { steps, checks, outcome: withRates(from, to), conversationsMax: 4_000 },
        randomFrom(seed),
      ),
    );

  test('of a version against itself are aborted in at most 5 % (the bench runs 1,000)', () => {
    expect(ends(0.1, 0.1).filter(({ end }) => end === 'aborted').length).toBeLessThanOrEqual(2);
  });

  test('of a version that escalates twice as often are aborted', () => {
    const aborted = ends(0.1, 0.2).filter(({ end }) => end === 'aborted');
    expect(aborted.length).toBeGreaterThanOrEqual(38);
  });
});
