import type { Attack } from './attack.ts';
import { carriers } from './attacks/carriers.ts';
import { models } from './attacks/models.ts';
import { receivers } from './attacks/receivers.ts';
import { strangers } from './attacks/strangers.ts';
import { tenants } from './attacks/tenants.ts';
import { visitors } from './attacks/visitors.ts';
import { websites } from './attacks/websites.ts';

export const ATTACKS: readonly Attack[] = [
  ...strangers,
  ...visitors,
  ...tenants,
  ...carriers,
  ...websites,
  ...models,
  ...receivers,
];
