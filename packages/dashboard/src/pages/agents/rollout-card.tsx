import { useId, useState } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Declared } from '../../data/agents.ts';
import { ok, parley, ParleyError, troubleOf, type Schemas } from '../../data/parley.ts';
import { Actor } from '../../ui/actor.tsx';
import { ActButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { count, decimal, percent } from '../../ui/figure.tsx';
import { Status, type Tone } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';

type Rollout = Schemas['Rollout'];
type Check = Rollout['checks'][number];
type Change = 'advance' | 'hold' | 'resume' | 'abort';

const REFRESH_MS = 5_000;

/** Shows the agent's latest rollout with the metrics of both versions. Renders nothing if there are no rollouts. */
export function RolloutCard({ agent: { id } }: { agent: Declared['agent'] }) {
  const titleId = useId();
  const { data, error, refetch } = useRollout(id);
  if (error) return <TroubleNote error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  const { from_version: from, to_version: to, from: old, to: current } = data;
  return (
    <section className="card stack" aria-labelledby={titleId}>
      <div className="spread">
        <h2 id={titleId}>
          Rollout of version {to} <Status tone={TONES[data.status]}>{data.status}</Status>
        </h2>
        {isOver(data) ? null : <RolloutActions agentId={id} rollout={data} />}
        {data.status === 'aborted' ? <RecallAction agentId={id} version={to} /> : null}
      </div>
      <p>
        <Progress rollout={data} />
      </p>
      {data.reason === null ? null : (
        <p className="muted small">
          <Actor actor={data.actor} />, <Time at={data.at} />: {data.reason}
        </p>
      )}
      <div className="rollout-scroll">
        <table className="rollout-checks">
          <thead>
            <tr>
              <th scope="col">Check</th>
              <th scope="col">Version {from}</th>
              <th scope="col">Version {to}</th>
              <th scope="col">Difference</th>
              <th scope="col">Likely range</th>
              <th scope="col">Verdict</th>
            </tr>
          </thead>
          <tbody>
            {data.checks.map((check) => (
              <CheckRow key={check.metric} check={check} />
            ))}
            <tr>
              <th scope="row">Ended conversations</th>
              <td className="numeric">{count(old.conversations)}</td>
              <td className="numeric">{count(current.conversations)}</td>
              <td colSpan={3} />
            </tr>
          </tbody>
        </table>
      </div>
    </section>
  );
}

const TONES: Record<Rollout['status'], Tone> = {
  progressing: 'info',
  holding: 'warn',
  completed: 'ok',
  aborted: 'bad',
};

function isOver({ status }: Rollout): boolean {
  return status === 'completed' || status === 'aborted';
}

function Progress({ rollout }: { rollout: Rollout }) {
  const { status, step, steps, weight, from_version: from, to_version: to } = rollout;
  if (status === 'completed') return `Version ${to} is live for all new conversations.`;
  if (status === 'aborted') {
    return `All new conversations get version ${from}. Version ${to} is not tried again until the content changes or somebody publishes it.`;
  }
  return (
    <>
      Step {step} of {steps}: {percent(weight / 100)} of new conversations get version {to}.{' '}
      {count(rollout.conversations)} of {count(rollout.min_conversations)} conversations in this
      step have ended.
    </>
  );
}

const METRICS: Record<Check['metric'], string> = {
  escalation_rate: 'Escalated conversations',
  resolution_rate: 'Resolved conversations',
  gap_rate: 'Questions without an answer',
  unanswered_rate: 'Conversations with an unanswered question',
  tool_failure_rate: 'Conversations with a failed tool call',
  csat_average: 'Average rating',
  turn_latency_p95_ms: '95th percentile of reply times',
};

const VERDICTS: Record<Check['verdict'], [Tone, string]> = {
  worse: ['bad', 'worse'],
  passed: ['ok', 'passed'],
  undecided: ['muted', 'undecided'],
};

function CheckRow({ check }: { check: Check }) {
  const { metric, from, to, difference, low, high, verdict, worse_by: worseBy } = check;
  const [tone, word] = VERDICTS[verdict];
  return (
    <tr>
      <th scope="row">
        {METRICS[metric]} <span className="muted small">limit: {shown(metric, worseBy)} worse</span>
      </th>
      <td className="numeric">{shown(metric, from)}</td>
      <td className="numeric">{shown(metric, to)}</td>
      <td className="numeric">{signed(metric, difference)}</td>
      <td className="numeric">
        {low === null && high === null ? '–' : `${signed(metric, low)} to ${signed(metric, high)}`}
      </td>
      <td>
        <Status tone={tone}>{word}</Status>
      </td>
    </tr>
  );
}

function shown(metric: Check['metric'], value: number | null): string {
  if (value === null) return '–';
  if (metric === 'csat_average') return decimal(value, 2);
  return metric === 'turn_latency_p95_ms' ? `${count(Math.round(value))} ms` : percent(value);
}

function signed(metric: Check['metric'], value: number | null): string {
  return value !== null && value > 0 ? `+${shown(metric, value)}` : shown(metric, value);
}

function RolloutActions({ agentId, rollout }: { agentId: string; rollout: Rollout }) {
  const [isAborting, setIsAborting] = useState(false);
  const toast = useToast();
  const queryClient = useQueryClient();
  const { from_version: from, to_version: to, step, steps } = rollout;
  const change = async (wanted: Change): Promise<void> => {
    const params = { path: { id: agentId } };
    const after = await ok(parley.POST(`/v1/agents/{id}/rollout/${wanted}`, { params, body: {} }));
    queryClient.setQueryData(rolloutKey(agentId), after);
    void queryClient.invalidateQueries({ queryKey: ['agents'] });
  };
  const changing = useMutation({
    mutationFn: change,
    onError: (error) => toast({ text: troubleOf(error).detail, tone: 'bad' }),
  });
  const act = (wanted: Change) => ({
    needs: 'publish' as const,
    size: 'small' as const,
    isBusy: changing.isPending,
    onClick: () => changing.mutate(wanted),
  });
  return (
    <div className="row">
      {rollout.status === 'holding' ? (
        <ActButton {...act('resume')}>Resume</ActButton>
      ) : (
        <ActButton {...act('hold')}>Hold</ActButton>
      )}
      <ActButton {...act('advance')}>
        {step === steps ? `Make version ${to} live` : 'Next step'}
      </ActButton>
      <ActButton {...act('abort')} kind="danger" onClick={() => setIsAborting(true)}>
        Abort…
      </ActButton>
      <Confirm
        title={`Abort the rollout of version ${to}?`}
        isOpen={isAborting}
        onClose={() => setIsAborting(false)}
        action="Abort the rollout"
        act={() => change('abort')}
      >
        <p>
          All new conversations get version {from}. Conversations in progress keep their version,
          and a human agent is requested for them if the rollout is set to do so. Version {to} is
          not tried again until the content changes.
        </p>
      </Confirm>
    </div>
  );
}

/**
 * Offers to recall the version of an aborted rollout, so that it can never go live again. Renders nothing if the
 * version is already recalled.
 */
function RecallAction({ agentId, version }: { agentId: string; version: number }) {
  const [isOpen, setIsOpen] = useState(false);
  const queryClient = useQueryClient();
  const { data } = useQuery({
    queryKey: ['agents', 'version', agentId, version],
    queryFn: ({ signal }) => {
      const params = { path: { id: agentId, version } };
      return ok(parley.GET('/v1/agents/{id}/versions/{version}', { params, signal }));
    },
  });
  if (data?.recalled_at !== null) return null;
  const recall = async (): Promise<void> => {
    const params = { path: { id: agentId } };
    await ok(parley.POST('/v1/agents/{id}/recalls', { params, body: { versions: [version] } }));
    await queryClient.invalidateQueries({ queryKey: ['agents'] });
  };
  return (
    <>
      <ActButton needs="publish" size="small" kind="danger" onClick={() => setIsOpen(true)}>
        Recall version {version}…
      </ActButton>
      <Confirm
        title={`Recall version ${version}?`}
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        action={`Recall version ${version}`}
        act={recall}
      >
        <p>
          Version {version} never goes live again. This can’t be undone. Its conversations are
          excluded from statistics. The API can list them, with their users and tool calls.
        </p>
      </Confirm>
    </>
  );
}

function rolloutKey(agentId: string) {
  return ['agents', 'rollout', agentId] as const;
}

/** Reads the latest rollout, and polls it while it is in progress. Returns null if the agent has no rollouts. */
function useRollout(agentId: string) {
  return useQuery<Rollout | null>({
    queryKey: rolloutKey(agentId),
    refetchInterval: ({ state }) => (state.data && !isOver(state.data) ? REFRESH_MS : false),
    queryFn: async ({ signal }) => {
      try {
        const params = { path: { id: agentId } };
        return await ok(parley.GET('/v1/agents/{id}/rollout', { params, signal }));
      } catch (error) {
        if (error instanceof ParleyError && error.status === 404) return null;
        throw error;
      }
    },
  });
}
