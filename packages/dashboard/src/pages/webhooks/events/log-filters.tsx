import { Button } from '../../../ui/button.tsx';
import { DateFilter, SelectFilter } from '../../../ui/filters.tsx';

/** The filters that the lists of events and deliveries share. `onClear` is set if a filter is active. */
export function LogFilters({ onClear }: { onClear: (() => void) | undefined }) {
  return (
    <>
      <DateFilter name="created_after" label="From" />
      <DateFilter name="created_before" label="Until" />
      <SelectFilter
        name="test"
        label="Test events"
        options={[{ value: 'true', name: 'included' }]}
        any="excluded"
      />
      {onClear ? (
        <Button kind="quiet" onClick={onClear}>
          Clear filters
        </Button>
      ) : null}
    </>
  );
}
