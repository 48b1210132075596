import { expect, test } from 'vitest';
import { decideActivation } from '../../src/agents/activate-version.ts';

/** Every decision with up to four versions, judged by contract/agents.md#publishing. */
function situations() {
  return [1, 2, 3, 4].flatMap((latestVersion) => {
    const versions = Array.from({ length: latestVersion }, (_, i) => i + 1);
    const pins = [undefined, ...versions, latestVersion + 1, 2_147_483_647];
    const policies = ['Automatic', 'Manual'] as const;
    return policies.flatMap((policy) =>
      versions.flatMap((contentVersion) =>
        [null, ...versions].flatMap((activeVersion) =>
          pins.map((pinnedVersion) => ({
            policy,
            pinnedVersion,
            contentVersion,
            latestVersion,
            activeVersion,
            recalled: new Set<number>(),
          })),
        ),
      ),
    );
  });
}

const all = situations();
const decided = (when: (situation: (typeof all)[number]) => boolean) =>
  all.filter(when).map((situation) => ({ situation, decision: decideActivation(situation) }));

test('a pin on a version that exists is what is live, whatever else is so', () => {
  const cases = decided((s) => s.pinnedVersion !== undefined && s.pinnedVersion <= s.latestVersion);
  expect(cases).toHaveLength(260);
  for (const { situation, decision } of cases) {
    expect(decision).toEqual({ target: situation.pinnedVersion, pin: 'held' });
  }
});

test('a pin on a version that does not exist leaves what is live', () => {
  const cases = decided((s) => s.pinnedVersion !== undefined && s.pinnedVersion > s.latestVersion);
  expect(cases).toHaveLength(160);
  for (const { situation, decision } of cases) {
    expect(decision).toEqual({ target: situation.activeVersion, pin: 'unknown' });
  }
});

test('without a pin the content decides under Automatic', () => {
  const cases = decided((s) => s.pinnedVersion === undefined && s.policy === 'Automatic');
  expect(cases).toHaveLength(40);
  for (const { situation, decision } of cases) {
    expect(decision).toEqual({ target: situation.contentVersion, pin: 'none' });
  }
});

test('without a pin nothing moves by itself under Manual, not even for the first time', () => {
  const cases = decided((s) => s.pinnedVersion === undefined && s.policy === 'Manual');
  expect(cases).toHaveLength(40);
  for (const { situation, decision } of cases) {
    expect(decision).toEqual({ target: situation.activeVersion, pin: 'none' });
  }
});
