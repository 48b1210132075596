import { Button } from '../../../ui/button.tsx';
import { DateFilter, SelectFilter } from '../../../ui/filters.tsx';

/** What events and deliveries are both filtered by; `onClear` where something is filtered. */
export function LogFilters({ onClear }: { onClear: (() => void) | undefined }) {
  return (
    <>
      <DateFilter name="created_after" label="From" />
      <DateFilter name="created_before" label="Until" />
      <SelectFilter
        name="test"
        label="Test events"
        options={[{ value: 'true', name: 'with them' }]}
        any="without them"
      />
      {onClear ? (
        <Button kind="quiet" onClick={onClear}>
          Clear filters
        </Button>
      ) : null}
    </>
  );
}
