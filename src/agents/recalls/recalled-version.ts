import { ApiError } from '../../errors.ts';
import type { ObjectKey } from '../../platform/resources/resource-store.ts';

/** Reason in the conditions that report a recalled version. */
export const VERSION_RECALLED = 'VersionRecalled';

/**
 * A recalled version that the declaration would make live. `by` is `pin` if the version is pinned, and `content` if it
 * has the declared content.
 */
export type RecalledTarget = { version: number; by: 'pin' | 'content' };

/** Returns the condition message for a declaration that would make a recalled version live. */
export function recalledMessage({ version, by }: RecalledTarget): string {
  return by === 'pin'
    ? `spec.pinnedVersion: version ${version} was recalled and can never go live again; pin another version`
    : `the declared content is version ${version}, which was recalled and can never go live again; change the content`;
}

const ITEM = 'recalled/agent';

/**
 * Returns the item of the notification about a recall. The notification makes the operator reconcile the agent and
 * all agents that hand conversations over to this agent.
 */
export function recalledAgentItem({ namespace, name }: ObjectKey): string {
  return `${ITEM}/${namespace}/${name}`;
}

export function readRecalledAgent(item: string): ObjectKey | undefined {
  const [namespace, name] = item.startsWith(`${ITEM}/`) ? item.split('/').slice(2) : [];
  return namespace && name ? { namespace, name } : undefined;
}

/**
 * Returns the error for a request that would make a recalled version live. `cure` is a sentence that says what to do
 * instead.
 */
export function versionRecalled(version: number, cure: string): ApiError {
  const detail = `Version ${version} was recalled and can never go live again. ${cure}`;
  return new ApiError('version_recalled', detail);
}

/** Returns the error for a conversation that requests a recalled version. */
export function recalledForConversations(version: number): ApiError {
  return versionRecalled(
    version,
    'Omit the version to use the live one, or send `"test": true` to test it.',
  );
}
