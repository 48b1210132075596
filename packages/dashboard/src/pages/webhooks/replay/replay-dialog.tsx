import { useState } from 'react';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { EVENT_GROUPS, EVENT_TYPE_NAMES, type Subscription } from '../../../data/events.ts';
import { fieldError, ok, parley } from '../../../data/parley.ts';
import type { Endpoint, Job } from '../../../data/webhooks.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/field.tsx';
import { counted } from '../../../ui/figure.tsx';
import { localTime, unixTime } from '../../../ui/filters.tsx';
import { useToast } from '../../../ui/toast.tsx';
import { TroubleNote } from '../../../ui/trouble.tsx';

const MODES: Record<Job['mode'], string> = {
  failed: 'events whose delivery failed or was canceled',
  missing: 'events without a delivery to this endpoint, for example because it was disabled',
  all: 'all events, so the receiver may get some twice',
  retrying: 'events waiting for their next attempt, which Parley then makes immediately',
};

const DAY_SEC = 86_400;

type Asked = { since: string; until: string; mode: Job['mode']; types: '' | Subscription };

/** Dialog that sends past events again. It shows how many events match before the person sends them. */
export function ReplayDialog({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const [asked, setAsked] = useState<Asked>(() => firstAsked(endpoint));
  const body = bodyOf(asked);
  const counted = useQuery({
    queryKey: ['jobs', 'count', endpoint.id, body],
    enabled: body !== null,
    placeholderData: keepPreviousData,
    // The events are counted again each time the dialog opens, because new ones may have arrived.
    staleTime: 0,
    queryFn: ({ signal }) => countReplay(endpoint.id, body!, signal),
  });
  const sending = useSending(endpoint, onClose);
  const plan = body !== null && !counted.isPlaceholderData ? counted.data : undefined;
  const error = counted.error ?? sending.error;
  const isAtField = ['/since', '/until', '/types'].some((pointer) => fieldError(error, pointer));
  return (
    <Dialog title="Send events again" isOpen onClose={onClose}>
      <Fields asked={asked} onChange={setAsked} error={error} />
      <p role="status">
        {plan ? (
          <Counted count={plan.count} since={plan.since} until={plan.until} />
        ) : (
          <span className="muted">{error ? '' : 'Counting…'}</span>
        )}
      </p>
      {error && !isAtField ? <TroubleNote error={error} /> : null}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="primary"
          isBusy={sending.isPending}
          disabled={plan === undefined || plan.count === 0}
          onClick={() => plan && sending.mutate(plan)}
        >
          {plan && plan.count > 0 ? actOf(plan) : 'Send again'}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function Fields({
  asked,
  onChange,
  error,
}: {
  asked: Asked;
  onChange: (asked: Asked) => void;
  error: unknown;
}) {
  return (
    <>
      <div className="columns columns-narrow">
        <Field label="Since" error={fieldError(error, '/since')}>
          {(control) => (
            <input
              {...control}
              type="datetime-local"
              value={asked.since}
              onChange={({ target }) => onChange({ ...asked, since: target.value })}
            />
          )}
        </Field>
        <Field label="Until" hint="Defaults to now" error={fieldError(error, '/until')}>
          {(control) => (
            <input
              {...control}
              type="datetime-local"
              value={asked.until}
              onChange={({ target }) => onChange({ ...asked, until: target.value })}
            />
          )}
        </Field>
      </div>
      <fieldset className="picker">
        <legend>Which events</legend>
        {Object.entries(MODES).map(([mode, meaning]) => (
          <label key={mode} className="check">
            <input
              type="radio"
              name="mode"
              checked={asked.mode === mode}
              onChange={() => onChange({ ...asked, mode: mode as Job['mode'] })}
            />
            <span>
              {mode} <span className="muted small">{meaning}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <Field label="Types" error={fieldError(error, '/types')}>
        {(control) => (
          <select
            {...control}
            value={asked.types}
            onChange={({ target }) => onChange({ ...asked, types: target.value as Asked['types'] })}
          >
            <option value="">all</option>
            {[...EVENT_GROUPS, ...EVENT_TYPE_NAMES].map((type) => (
              <option key={type}>{type}</option>
            ))}
          </select>
        )}
      </Field>
    </>
  );
}

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

function Counted({ count: found, since, until }: { count: number; since: number; until: number }) {
  const range = exact.formatRange(since * 1_000, until * 1_000);
  if (found === 0) return <>No events between {range} match.</>;
  return (
    <>
      <strong>{eventsText(found)}</strong> between {range}.
    </>
  );
}

function eventsText(found: number): string {
  return counted(found, 'event');
}

function actOf({ count: found, mode }: { count: number; mode: Job['mode'] }): string {
  if (mode === 'retrying') return `Retry ${eventsText(found)} now`;
  return `Send ${eventsText(found)} again`;
}

/** Returns the initial values of the form. For a failing endpoint, the range starts when the failure began. */
function firstAsked({ failing_since: failing }: Endpoint): Asked {
  const nowSec = Math.floor(Date.now() / 1_000);
  const mode = failing === null ? 'failed' : 'retrying';
  return { since: localTime(failing ?? nowSec - DAY_SEC), until: '', mode, types: '' };
}

type Range = { since: number; until?: number; mode: Job['mode']; types?: Subscription[] };

/** Returns the request body, or null if there is no start time. */
function bodyOf({ since, until, mode, types }: Asked): Range | null {
  const from = unixTime(since);
  const to = unixTime(until);
  if (from === undefined) return null;
  return {
    since: Number(from),
    ...(to !== undefined && { until: Number(to) }),
    mode,
    ...(types && { types: [types] }),
  };
}

type Plan = Extract<Awaited<ReturnType<typeof postReplay>>, { count: number }>;

function postReplay(id: string, body: Range & { dry_run?: boolean }, signal?: AbortSignal) {
  const params = { path: { id } };
  return ok(parley.POST('/v1/webhooks/{id}/replay', { params, body, ...(signal && { signal }) }));
}

async function countReplay(id: string, range: Range, signal: AbortSignal): Promise<Plan> {
  // With `dry_run`, the API returns the count and sends nothing.
  return (await postReplay(id, { ...range, dry_run: true }, signal)) as Plan;
}

/**
 * Sends exactly the events that were counted: the range ends at the time of the count, not at the time of the click.
 */
function useSending(endpoint: Endpoint, onDone: () => void) {
  const queryClient = useQueryClient();
  const toast = useToast();
  return useMutation({
    mutationFn: ({ since, until, mode, types }: Plan) =>
      postReplay(endpoint.id, { since, until, mode, ...(types.length > 0 && { types }) }),
    onSuccess: async (_, { count: found }) => {
      await queryClient.invalidateQueries({ queryKey: ['jobs', 'list'] });
      toast({ text: `Sending ${eventsText(found)} again` });
      onDone();
    },
  });
}
