import type { Search } from '../../ui/filters.tsx';

export const SHOWN = ['waiting', 'mine', 'missed', 'all'] as const;

/** Which escalations the list shows, as chosen in the address. */
export type Shown = (typeof SHOWN)[number];

export function shownOf({ show }: Search): Shown {
  return SHOWN.find((one) => one === show) ?? 'waiting';
}
