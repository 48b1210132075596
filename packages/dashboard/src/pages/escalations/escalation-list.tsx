import { useEffect, useRef, useState } from 'react';
import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  customerOf,
  reasonText,
  requestOf,
  useEscalation,
  useSelf,
  useWaitingList,
  type Escalation,
} from '../../data/escalations.ts';
import { useAgentNames } from '../../data/names.ts';
import { useList, type List } from '../../data/use-list.ts';
import { SelectFilter, useFilters } from '../../ui/filters.tsx';
import { Status } from '../../ui/status.tsx';
import { Time, Waiting } from '../../ui/time.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { LABELS } from './escalation-words.ts';
import type { Shown } from './shown.ts';

const ROW_PX = 92;
const SKELETONS = 4;

/** Lists the escalations that the signed-in person has accepted and is still handling. */
export function useMine(): List<Escalation> {
  const { id } = useSelf();
  return useList('escalations', '/v1/escalations', {
    query: { status: 'accepted', accepted_by: id },
  });
}

export function EscalationList({ shown, selectedId }: { shown: Shown; selectedId: string | null }) {
  if (shown === 'waiting') return <WaitingList selectedId={selectedId} />;
  if (shown === 'mine') return <MyList selectedId={selectedId} />;
  if (shown === 'missed') return <MissedList selectedId={selectedId} />;
  return <WholeList selectedId={selectedId} />;
}

function WaitingList({ selectedId }: { selectedId: string | null }) {
  const list = useWaitingList();
  const [{ team }] = useFilters();
  const teams = [...new Set(list.rows.flatMap((one) => one.team ?? []))].toSorted();
  const rows = team === undefined ? list.rows : list.rows.filter((one) => one.team === team);
  return (
    <>
      {teams.length > 0 || team !== undefined ? (
        <SelectFilter name="team" label="Team" options={teams} />
      ) : null}
      <Rows key={team} label="Waiting escalations" list={{ ...list, rows }} selectedId={selectedId}>
        {team === undefined
          ? 'Nobody is waiting. When an agent requests a human agent, the escalation appears here within a second.'
          : `Nobody is waiting for ${team}.`}
      </Rows>
    </>
  );
}

function MyList({ selectedId }: { selectedId: string | null }) {
  return (
    <Rows label="Escalations you accepted" list={useMine()} selectedId={selectedId}>
      You have no conversations. Accept a waiting escalation.
    </Rows>
  );
}

function MissedList({ selectedId }: { selectedId: string | null }) {
  const list = useList('escalations', '/v1/escalations', { query: { missed: true } });
  return (
    <Rows label="Missed escalations" list={list} selectedId={selectedId}>
      Nothing was missed. Escalations that nobody accepts in time stay here until somebody opens
      them.
    </Rows>
  );
}

const STATUSES = ['requested', 'accepted', 'declined', 'timed_out', 'completed', 'canceled'];

function WholeList({ selectedId }: { selectedId: string | null }) {
  const [{ status }] = useFilters();
  const list = useList('escalations', '/v1/escalations', { query: { status } });
  return (
    <>
      <SelectFilter name="status" label="Status" options={STATUSES} />
      <Rows key={status} label="All escalations" list={list} selectedId={selectedId}>
        {status ? 'No escalations have this status.' : 'No agent has requested a human agent yet.'}
      </Rows>
    </>
  );
}

/** Renders the visible rows and loads more on scrolling. */
function Rows({
  label,
  list,
  selectedId,
  children,
}: {
  label: string;
  list: List<Escalation>;
  selectedId: string | null;
  children: React.ReactNode;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const { hasMore, isLoadingMore, loadMore, error, isLoading, retry } = list;
  const rows = useKept(list.rows, selectedId);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (at) => rows[at]?.id ?? at,
    overscan: 8,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && !isLoadingMore && !error && last >= rows.length - 10) loadMore();
  }, [last, rows.length, hasMore, isLoadingMore, loadMore, error]);

  return (
    <div ref={scroller} className="inbox-rows" aria-busy={isLoading} onKeyDown={moveAmongItems}>
      {error ? <TroubleNote error={error} onRetry={retry} /> : null}
      {isLoading ? Array.from({ length: SKELETONS }, (_, at) => <SkeletonItem key={at} />) : null}
      {!isLoading && !error && rows.length === 0 ? (
        <p className="empty">{children}</p>
      ) : (
        <ul aria-label={label} style={{ position: 'relative', height: virtual.getTotalSize() }}>
          {items.map(({ index, start, key }) => (
            <li key={key} style={{ transform: `translateY(${start}px)` }}>
              <Item escalation={rows[index]!} isSelected={rows[index]!.id === selectedId} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/**
 * Keeps the selected escalation in its place after an action removes it from the list, until another one is selected.
 * Otherwise, people would lose the row that they are working on.
 */
function useKept(rows: readonly Escalation[], selectedId: string | null): readonly Escalation[] {
  const [seat, setSeat] = useState<{ id: string; at: number } | null>(null);
  const at = rows.findIndex(({ id }) => id === selectedId);
  if (selectedId !== null && at >= 0 && (seat?.id !== selectedId || seat.at !== at)) {
    setSeat({ id: selectedId, at });
  }
  const isKept = at < 0 && seat !== null && seat.id === selectedId;
  const { data } = useEscalation(isKept ? selectedId : null);
  return isKept && data ? rows.toSpliced(Math.min(seat.at, rows.length), 0, data) : rows;
}

function Item({ escalation, isSelected }: { escalation: Escalation; isSelected: boolean }) {
  const { id, status, reason, team, agent_id: agentId } = escalation;
  const [search] = useFilters();
  const names = useAgentNames();
  return (
    <Link
      to={`/escalations/${id}`}
      search={search}
      className="inbox-item"
      data-escalation={id}
      aria-current={isSelected ? 'true' : undefined}
    >
      <span className="spread">
        <strong>{customerOf(escalation)}</strong>
        {status === 'requested' ? <HowLong escalation={escalation} /> : null}
        {status === 'accepted' ? (
          <Status tone="info">{escalation.accepted_by?.name ?? LABELS[status].name}</Status>
        ) : null}
        {status !== 'requested' && status !== 'accepted' ? (
          <Status tone={LABELS[status].tone}>{LABELS[status].name}</Status>
        ) : null}
      </span>
      <span className="inbox-summary small">{requestOf(escalation)}</span>
      <span className="small muted spread">
        <span className="inbox-summary">
          {[reasonText(reason), names.get(agentId), team].filter(Boolean).join(' · ')}
        </span>
        <Time at={escalation.requested_at} />
      </span>
    </Link>
  );
}

function HowLong({ escalation }: { escalation: Escalation }) {
  return (
    <span className="status status-warn">
      <span className="unseen">waiting for </span>
      <Waiting at={escalation.requested_at} />
    </span>
  );
}

function SkeletonItem() {
  return (
    <div className="inbox-item">
      <span className="skeleton" />
      <span className="skeleton" />
    </div>
  );
}

function moveAmongItems(event: React.KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  const target = event.target as HTMLElement;
  if (step === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
  if (!target.classList.contains('inbox-item')) return;
  event.preventDefault();
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('.inbox-item')];
  links[links.indexOf(target) + step]?.focus();
}
