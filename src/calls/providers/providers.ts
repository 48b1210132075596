import type { Providers } from './provider.ts';
import { simulated } from './simulated.ts';

/** Whoever may carry a call. */
export const PROVIDERS: Providers = { [simulated.name]: simulated };
