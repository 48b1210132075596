import { useState } from 'react';
import { Link, useParams } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { ok, parley, type Schemas } from '../../data/parley.ts';
import { count, counted, decimal, Figure, Figures, percent } from '../../ui/figure.tsx';
import { Page, ReadPage } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { Activity } from './activity.tsx';
import { EraseCustomer, Erasing, useRunningErasure } from './erase-customer.tsx';
import { ExportCustomer } from './export-customer.tsx';

type Customer = Schemas['Customer'];

const BACK = { to: '/conversations', name: 'Conversations' };

/** Shows the data about one user. People can export and erase it here. */
export function CustomerPage() {
  const { userId } = useParams({ strict: false }) as { userId: string };
  return (
    <ReadPage title="Customer" back={BACK}>
      <OneCustomer key={userId} userId={userId} />
    </ReadPage>
  );
}

function OneCustomer({ userId }: { userId: string }) {
  const [startedId, setStartedId] = useState<string | null>(null);
  const runningId = useRunningErasure(userId);
  const erasureId = startedId ?? runningId;
  const { data, error, refetch } = useQuery({
    // The topic `conversations` makes this query refresh when a conversation changes.
    queryKey: ['conversations', 'customer', userId],
    enabled: erasureId === null,
    queryFn: ({ signal }) => {
      const params = { path: { user_id: userId } };
      return ok(parley.GET('/v1/customers/{user_id}', { params, signal }));
    },
  });
  if (erasureId !== null) {
    return (
      <Page title={userId} back={BACK}>
        <Erasing userId={userId} erasureId={erasureId} />
      </Page>
    );
  }
  return (
    <Page
      title={userId}
      heading={<span className="preserved">{userId}</span>}
      back={BACK}
      actions={
        data ? (
          <>
            <ExportCustomer userId={userId} />
            <EraseCustomer customer={data} onErasing={setStartedId} />
          </>
        ) : null
      }
    >
      {error ? <TroubleNote error={error} onRetry={() => void refetch()} /> : null}
      {data ? (
        <>
          <CustomerFigures customer={data} />
          <OpenQuestions customer={data} />
          <Activity userId={userId} />
        </>
      ) : error ? null : (
        <p className="muted" role="status">
          Loading…
        </p>
      )}
    </Page>
  );
}

function CustomerFigures({ customer }: { customer: Customer }) {
  const { conversations, calls, escalations, csat, truncated } = customer;
  const { resolved } = conversations.outcomes;
  const ended = conversations.total - conversations.active;
  return (
    <section className="stack-small" aria-label="Statistics">
      <Figures>
        <Figure
          name="Conversations"
          value={count(conversations.total)}
          note={`${count(conversations.active)} in progress`}
        />
        <Figure
          name="Resolved"
          value={percent(ended === 0 ? null : resolved / ended)}
          note={`${count(resolved)} of ${count(ended)}`}
        />
        <Figure
          name="Calls"
          value={count(calls.total)}
          note={`${count(calls.answered)} answered`}
        />
        <Figure
          name="Escalations"
          value={count(escalations.total)}
          note={escalationNote(escalations)}
        />
        <Figure name="CSAT" value={decimal(csat.average)} note={counted(csat.count, 'rating')} />
        <Figure name="First seen" value={<Time at={customer.first_seen_at} />} />
        <Figure name="Last seen" value={<Time at={customer.last_seen_at} />} />
      </Figures>
      {truncated ? (
        <p className="muted small">
          These numbers cover only the newest 10,000 conversations and calls.
        </p>
      ) : null}
      {conversations.tests > 0 ? (
        <p className="muted small">
          {counted(conversations.tests, 'test conversation')} not counted here.
        </p>
      ) : null}
    </section>
  );
}

function escalationNote({ waiting, missed }: Customer['escalations']): string | undefined {
  const parts = [
    waiting > 0 && `${count(waiting)} waiting`,
    missed > 0 && `${count(missed)} missed`,
  ].filter(Boolean);
  return parts.length === 0 ? undefined : parts.join(', ');
}

/** Lists the questions that nobody has answered, each with its conversation. */
function OpenQuestions({ customer: { open_questions: open } }: { customer: Customer }) {
  if (open.length === 0) return null;
  return (
    <section className="card stack-small">
      <h2>Open questions</h2>
      <ul className="stack-small">
        {open.map(({ conversation_id: id, question }, at) => (
          // The key contains the position, because a question may occur twice, even in one conversation.
          <li key={`${id} ${at}`}>
            <Link to={`/conversations/${id}`}>{question}</Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
