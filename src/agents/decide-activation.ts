import type { AgentSpec } from './agent.ts';

export type ActivationDecision = {
  /** What is to be live; null: nothing yet. */
  target: number | null;
  pin: 'none' | 'held' | 'unknown';
};

/**
 * Which version is to be live (contract §4). A pin goes before everything; a pin on a version
 * that does not exist leaves the active one; without a pin the content decides, but under
 * `Manual`, and while the content is not in force, nothing moves by itself.
 */
export function decideActivation(input: {
  policy: AgentSpec['publishPolicy'];
  pinnedVersion: number | undefined;
  /** The version the declared content has; null: it is not in force and has none. */
  contentVersion: number | null;
  latestVersion: number;
  activeVersion: number | null;
}): ActivationDecision {
  const { pinnedVersion, activeVersion } = input;
  if (pinnedVersion !== undefined) {
    // Numbers have no gaps, so the latest tells which exist.
    return pinnedVersion <= input.latestVersion
      ? { target: pinnedVersion, pin: 'held' }
      : { target: activeVersion, pin: 'unknown' };
  }
  const isHeld = input.policy === 'Manual' || input.contentVersion === null;
  const target = isHeld ? activeVersion : input.contentVersion;
  return { target, pin: 'none' };
}
