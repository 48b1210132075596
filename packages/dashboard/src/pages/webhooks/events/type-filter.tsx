import { EVENT_GROUPS, EVENT_TYPE_NAMES } from '../../../data/events.ts';
import { SelectFilter } from '../../../ui/filters.tsx';

const OPTIONS = [...EVENT_GROUPS, ...EVENT_TYPE_NAMES].map((value) => ({ value, name: value }));

/** Selects one event type or a group. */
export function TypeFilter({ name }: { name: 'type' | 'event_type' }) {
  return <SelectFilter name={name} label="Event type" options={OPTIONS} any="all" />;
}
