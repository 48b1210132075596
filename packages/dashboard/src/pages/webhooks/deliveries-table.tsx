import type { ReactNode } from 'react';
import type { List } from '../../data/use-list.ts';
import { useEndpoints, type Delivery } from '../../data/webhooks.ts';
import { shortId } from '../../ui/copy-id.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { msText, Time } from '../../ui/time.tsx';
import { answerOf, DeliveryStatus, NextAttempt, shortUrl, TestMark } from './states.tsx';

const EVENT: Column<Delivery> = {
  name: 'Event',
  width: 'minmax(0, 1.6fr)',
  cell: ({ event_type: type, test }) => (
    <span>
      {type} {test ? <TestMark /> : null}
    </span>
  ),
};

const REST: Column<Delivery>[] = [
  { name: 'Status', width: '7.75rem', cell: (delivery) => <DeliveryStatus delivery={delivery} /> },
  { name: 'Attempts', width: '5.5rem', align: 'end', isWide: 'very', cell: attemptsOf },
  { name: 'Last response', width: '8rem', isWide: true, cell: lastAnswer },
  { name: 'Next attempt', width: '10.5rem', isWide: 'very', cell: nextAttempt },
  { name: 'Created', width: '8rem', isWide: true, cell: ({ created }) => <Time at={created} /> },
];

/** Lists deliveries. Hides the endpoint column if all deliveries belong to one endpoint. */
export function DeliveriesTable({
  list,
  of,
  empty,
}: {
  list: List<Delivery>;
  of?: 'endpoint' | 'event';
  empty: ReactNode;
}) {
  const endpoints = useEndpoints();
  const urls = new Map(endpoints.data?.map(({ id, url }) => [id, shortUrl(url)]));
  const endpoint: Column<Delivery> = {
    name: 'Endpoint',
    width: 'minmax(0, 1.4fr)',
    isWide: of !== 'event',
    cell: ({ endpoint_id: id }) => urls.get(id) ?? shortId(id),
  };
  const columns = {
    endpoint: [EVENT, ...REST],
    event: [endpoint, ...REST],
    all: [EVENT, endpoint, ...REST],
  }[of ?? 'all'];
  return (
    <Table
      label="Deliveries"
      list={list}
      columns={columns}
      href={({ id }) => `/webhooks/deliveries/${id}`}
      empty={empty}
      narrow={({ created }) => <Time at={created} />}
    />
  );
}

function attemptsOf({ attempt_count: attempts }: Delivery): ReactNode {
  return attempts;
}

function lastAnswer({ attempts }: Delivery): ReactNode {
  const last = attempts.at(-1);
  if (!last) return <span className="muted">–</span>;
  return (
    <span>
      {answerOf(last)} <span className="muted numeric">{msText(last.duration_ms)}</span>
    </span>
  );
}

function nextAttempt({ in_flight_since: since, next_attempt_at: next }: Delivery): ReactNode {
  if (since !== null) return 'in progress';
  if (next === null) return <span className="muted">–</span>;
  return <NextAttempt at={next} />;
}
