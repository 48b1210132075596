import type { ItemOf } from '../../data/parley.ts';

export type Key = ItemOf<'/v1/api_keys'>;
