import type { ItemOf } from '../../data/parley.ts';

/** An API key as lists show it. */
export type Key = ItemOf<'/v1/api_keys'>;
