import { Link, useParams } from '@tanstack/react-router';
import { useGap, useGaps, type Gap } from '../../data/knowledge.ts';
import { useAgentNames } from '../../data/names.ts';
import { isSameQuestion } from '../../data/questions.ts';
import { CopyId } from '../../ui/copy-id.tsx';
import { count, decimal } from '../../ui/figure.tsx';
import { Page, ReadPage, UnreadPage } from '../../ui/page.tsx';
import { WithPanel } from '../../ui/panel.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { Asked } from './asked.tsx';
import { GapAnswer } from './gap-answer.tsx';
import { NewAnswer } from './new-answer.tsx';
import { Wordings } from './wordings.tsx';
import './knowledge.css';

/**
 * Shows one gap: what the search found when the question was asked, its answer, and whether the search finds the answer
 * now.
 */
export function GapPage() {
  const { gapId } = useParams({ strict: false }) as { gapId: string };
  return (
    <ReadPage title="Gap" back={BACK}>
      <ReadGap key={gapId} id={gapId} />
    </ReadPage>
  );
}

const BACK = { to: '/knowledge/gaps', name: 'Gaps' };

function ReadGap({ id }: { id: string }) {
  const query = useGap(id);
  const { data: gap } = query;
  if (!gap) return <UnreadPage title="Gap" back={BACK} query={query} />;
  return (
    <Page title={`Gap: ${gap.question}`} heading={gap.question} back={BACK}>
      <WithPanel label="About this gap" startsOpen panel={<Facts gap={gap} />}>
        <div className="gap-columns">
          {gap.status === 'open' ? <OpenGap gap={gap} /> : <GapAnswer gap={gap} />}
          <Asked key={gap.question} gap={gap} />
          <Wordings gap={gap} />
        </div>
      </WithPanel>
    </Page>
  );
}

/**
 * Shows an open gap. Also finds gaps of other agents with the same question, because one answer can fill all of them.
 */
function OpenGap({ gap }: { gap: Gap }) {
  const { data } = useGaps('open');
  const others = data?.gaps.filter(
    ({ id, question }) => id !== gap.id && isSameQuestion(question, gap.question),
  );
  return <NewAnswer gap={gap} others={others ?? []} />;
}

function Facts({ gap }: { gap: Gap }) {
  const names = useAgentNames();
  return (
    <dl className="facts card">
      <dt>Status</dt>
      <dd>
        {gap.status === 'open' ? (
          <Status tone="warn">open</Status>
        ) : (
          <>
            <Status tone="ok">resolved</Status> <Time at={gap.resolved_at} />
          </>
        )}
      </dd>
      <dt>Agent</dt>
      <dd>
        <Link to={`/agents/${gap.agent_id}`}>{names.get(gap.agent_id) ?? gap.agent_id}</Link>
      </dd>
      <dt>Asked</dt>
      <dd>
        {gap.count === 1 ? 'once' : `${count(gap.count)} times`}, last{' '}
        <Time at={gap.last_asked_at} />; first in{' '}
        <Link to={`/conversations/${gap.conversation_id}`}>this conversation</Link>
      </dd>
      <dt>Best score when first asked</dt>
      <dd className="numeric">{decimal(gap.top_score, 2)}</dd>
      <dt>ID</dt>
      <dd>
        <CopyId id={gap.id} />
      </dd>
    </dl>
  );
}
