import type { Declared } from '../../data/agents.ts';
import { ActButton } from '../../ui/button.tsx';
import type { OnRelease } from './agent-frame.tsx';

/** A button that makes the version live. */
export function VersionAction({
  agent: { active_version: live },
  version,
  onRelease,
  size,
}: {
  agent: Declared['agent'];
  version: number;
  onRelease: OnRelease;
  size?: 'small';
}) {
  if (version === live) return null;
  const isBack = live !== null && version < live;
  return (
    <ActButton
      needs="publish"
      {...(size && { size })}
      onClick={() => onRelease({ kind: isBack ? 'rollback' : 'publish', version })}
    >
      {isBack ? `Roll back to ${version}` : `Publish ${version}`}
    </ActButton>
  );
}
