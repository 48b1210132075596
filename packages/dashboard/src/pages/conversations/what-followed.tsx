import { useEffect } from 'react';
import { Link } from '@tanstack/react-router';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useHistory, type Activation } from '../../data/agents.ts';
import type { Conversation } from '../../data/conversations.ts';
import type { StoredEvent } from '../../data/events.ts';
import { ok, parley } from '../../data/parley.ts';
import { useEndpoints, type Delivery } from '../../data/webhooks.ts';
import { actorText } from '../../ui/actor.tsx';
import { shortId } from '../../ui/copy-id.tsx';
import { Time, msText } from '../../ui/time.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { answerOf, DeliveryStatus, hostOf } from '../webhooks/states.tsx';

/** Shows the records behind a conversation, in order: version → activation → events → deliveries → attempts. */
export function WhatFollowed({ conversation }: { conversation: Conversation }) {
  const { id, agent_id: agentId, agent_version: version } = conversation;
  const activation = useActivation(conversation);
  const events = useEvents(id);
  const deliveries = useDeliveries(events.data ?? []);
  if (events.error) {
    return <TroubleNote error={events.error} onRetry={() => void events.refetch()} />;
  }
  const sent = deliveries.flatMap((one) => one ?? []);
  const attempts = sent.reduce((sum, { attempt_count: count }) => sum + count, 0);
  const steps = [
    <Link key="version" to={`/agents/${agentId}/versions`} search={{ to: String(version) }}>
      version {version}
    </Link>,
    <ActivationStep key="activation" agentId={agentId} activation={activation} />,
    <Link key="events" to="/webhooks/events" search={{ view: 'all', conversation_id: id }}>
      {plural(events.data?.length, 'event')}
    </Link>,
    <span key="deliveries">
      {plural(deliveries.includes(undefined) ? undefined : sent.length, 'delivery', 'deliveries')}
    </span>,
    <span key="attempts">
      {plural(deliveries.includes(undefined) ? undefined : attempts, 'attempt')}
    </span>,
  ];
  return (
    <section className="followed card" aria-label="From version to attempts">
      <ol className="followed-line">
        {steps.map((step) => (
          <li key={step.key}>{step}</li>
        ))}
      </ol>
      <details>
        <summary className="small">Events, deliveries and attempts</summary>
        <FollowedEvents events={events.data ?? []} deliveries={deliveries} />
      </details>
    </section>
  );
}

function ActivationStep({
  agentId,
  activation,
}: {
  agentId: string;
  activation: Activation | null | undefined;
}) {
  if (activation === undefined) return <span className="muted">…</span>;
  if (activation === null) return <span className="muted">no activation</span>;
  const verb = activation.action === 'published' ? 'published' : 'rolled back to';
  return (
    <Link to={`/agents/${agentId}/activations`}>
      {verb} by {actorText(activation.actor)}
    </Link>
  );
}

/**
 * Returns the last activation of the conversation's version before the conversation started. Returns null if there is
 * none, or undefined while the activations load.
 */
function useActivation(conversation: Conversation): Activation | null | undefined {
  const { agent_id: agentId, agent_version: version, started_at: at } = conversation;
  const { rows, isLoading, hasMore, isLoadingMore, loadMore } = useHistory(
    '/v1/agents/{id}/activations',
    agentId,
  );
  const found = rows.find((row) => row.to_version === version && row.at <= at);
  const goesOn = !found && hasMore;
  useEffect(() => {
    if (goesOn && !isLoadingMore) loadMore();
  }, [goesOn, isLoadingMore, loadMore]);
  return found ?? (isLoading || goesOn ? undefined : null);
}

const EVENTS_MAX = 100;

function useEvents(conversationId: string) {
  return useQuery({
    queryKey: ['events', 'of', conversationId],
    queryFn: async ({ signal }) => {
      const query = { conversation_id: conversationId, limit: EVENTS_MAX };
      const { data } = await ok(parley.GET('/v1/events', { params: { query }, signal }));
      return data.toReversed();
    },
  });
}

/**
 * Loads the deliveries of each event, in the order of the events. While an event has a pending delivery, its query key
 * begins with a topic, so every change to a delivery in the namespace repeats the query. Once no delivery is pending,
 * the key contains the event's delivery counts and no topic. The query is repeated only when one of these counts
 * changes.
 */
function useDeliveries(events: readonly StoredEvent[]): (readonly Delivery[] | undefined)[] {
  const results = useQueries({
    queries: events.map(({ id, deliveries }) => ({
      queryKey:
        deliveries.pending > 0
          ? ['deliveries', 'of', id]
          : ['deliveries-done', id, Object.values(deliveries).join()],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const params = { path: { id } };
        return (await ok(parley.GET('/v1/events/{id}/deliveries', { params, signal }))).data;
      },
    })),
  });
  return results.map(({ data }) => data);
}

function FollowedEvents({
  events,
  deliveries,
}: {
  events: readonly StoredEvent[];
  deliveries: readonly (readonly Delivery[] | undefined)[];
}) {
  const { data: endpoints } = useEndpoints();
  if (events.length === 0) return <p className="muted">This conversation has no events.</p>;
  const nameOf = (id: string): string => {
    const url = endpoints?.find((one) => one.id === id)?.url;
    return url ? hostOf(url) : shortId(id);
  };
  return (
    <ul className="followed-events">
      {events.map((event, at) => (
        <li key={event.id}>
          <div className="row">
            <Link to={`/webhooks/events/${event.id}`}>{event.type}</Link>
            <span className="muted small">
              <Time at={event.created} />
            </span>
          </div>
          {deliveries[at]?.length === 0 ? (
            <p className="muted small">This event has no deliveries.</p>
          ) : null}
          <ul>
            {deliveries[at]?.map((delivery) => (
              <li key={delivery.id} className="row small">
                <DeliveryStatus delivery={delivery} />
                <Link to={`/webhooks/deliveries/${delivery.id}`}>
                  to {nameOf(delivery.endpoint_id)}
                </Link>
                <span className="muted numeric">{attemptsText(delivery)}</span>
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}

/** Formats the last attempts, such as `503 after 20 ms, 200 after 4 ms`. */
function attemptsText({ attempts, attempt_count: count }: Delivery): string {
  const shown = attempts.slice(-ATTEMPTS_SHOWN);
  const earlier = count > shown.length ? '…, ' : '';
  const texts = shown.map((one) => `${answerOf(one)} after ${msText(one.duration_ms)}`);
  return earlier + texts.join(', ');
}

const ATTEMPTS_SHOWN = 3;

function plural(count: number | undefined, one: string, many = `${one}s`): string {
  return count === undefined ? '…' : `${count} ${count === 1 ? one : many}`;
}
