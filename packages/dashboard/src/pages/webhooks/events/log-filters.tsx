import { ClearFilters, DateFilter, SelectFilter } from '../../../ui/filters.tsx';

/** The filters that the lists of events and deliveries share. `names` are all filters of the list. */
export function LogFilters({ names }: { names: readonly string[] }) {
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
      <ClearFilters names={names} />
    </>
  );
}
