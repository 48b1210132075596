import { useQuery } from '@tanstack/react-query';
import type { Declared } from '../../data/agents.ts';
import { useCan } from '../../data/me.ts';
import { ok, parley } from '../../data/parley.ts';
import { changesBetween, mergeChanges } from '../../form/merge.ts';
import { Actor } from '../../ui/actor.tsx';
import { Button } from '../../ui/button.tsx';
import { Time } from '../../ui/time.tsx';
import { fieldsOf, valuesOf, type AgentValues } from './agent-values.ts';
import { Changes } from './changes.tsx';

/**
 * Shows what somebody else changed in the same agent while the form was open, and asks whose conflicting changes to
 * keep. Changes that only one person made are always kept. The author and the comparison load later, so they are below
 * the buttons. Otherwise, a button could move while it is pressed, and the browser would not count that as a click.
 */
export function ChangedMeanwhile({
  base,
  mine,
  now,
  onTake,
}: {
  base: Declared;
  mine: AgentValues;
  now: Declared;
  onTake: (merged: AgentValues) => void;
}) {
  const [before, theirs] = [valuesOf(base.agent), valuesOf(now.agent)];
  const merge = (winner: 'mine' | 'theirs') => mergeChanges(before, { mine, theirs, winner });
  const { conflicts } = merge('theirs');
  const take = (winner: 'mine' | 'theirs') => () => onTake(merge(winner).merged);
  return (
    <section
      className="agent-notice agent-notice-warn"
      role="alert"
      aria-label="Changed in the meantime"
    >
      <div className="stack-small">
        <p>
          <strong>Changed in the meantime.</strong>{' '}
          {conflicts.length === 0
            ? 'Your changes do not conflict with theirs.'
            : `You both changed: ${conflicts.map((name) => name.replaceAll(/[._]/g, ' ')).join(', ')}.`}
        </p>
        <div className="row">
          {conflicts.length === 0 ? (
            <Button onClick={take('theirs')}>Keep both</Button>
          ) : (
            <>
              <Button onClick={take('mine')}>Keep mine</Button>
              <Button onClick={take('theirs')}>Take theirs</Button>
            </>
          )}
        </div>
        <Who base={base} now={now} />
        <Changes changes={changesBetween(fieldsOf(before), fieldsOf(theirs))} heading="h2" />
      </div>
    </section>
  );
}

/** Reads the author from the audit log if the session has the `keys` scope, and otherwise from the newest version. */
function Who({ base, now: { agent, etag } }: { base: Declared; now: Declared }) {
  const isVersion = agent.latest_version !== base.agent.latest_version;
  const canRead = useCan('keys');
  const { data } = useQuery({
    queryKey: ['versions', agent.id, 'who', etag],
    queryFn: async ({ signal }) =>
      canRead ? lastLine(agent.id, signal) : isVersion ? maker(agent, signal) : null,
  });
  if (!data) return null;
  return (
    <p>
      Changes by <Actor actor={data.actor} />, <Time at={data.at} />:
    </p>
  );
}

type By = { actor: string; at: number } | null;

async function lastLine(id: string, signal: AbortSignal): Promise<By> {
  const params = { query: { target: id, limit: 1 } };
  const { data } = await ok(parley.GET('/v1/audit_log', { params, signal }));
  const [line] = data;
  return line ? { actor: line.actor, at: line.created } : null;
}

async function maker(agent: Declared['agent'], signal: AbortSignal): Promise<By> {
  if (agent.latest_version === null) return null;
  const params = { path: { id: agent.id, version: agent.latest_version } };
  const version = await ok(parley.GET('/v1/agents/{id}/versions/{version}', { params, signal }));
  return { actor: version.created_by, at: version.created };
}
