import { customerRoutes } from '../../../customers/customers.routes.ts';
import { customerErasureRoutes } from '../../../erasure/customer-erasures.routes.ts';
import { runErasures } from '../../../erasure/erase-customer.ts';
import { createPeriodic } from '../../../platform/controller/periodic.ts';
import { eraseEvents } from '../../../webhooks/queue/delivery-endings.sql.ts';
import type { Conversing } from './conversations.ts';
import type { Module } from './module.ts';
import type { Telephony } from './telephony.ts';

/** Creates the module for customers: the data about one user, and its erasure. */
export function createCustomers({
  conversing,
  telephony,
}: {
  conversing: Conversing;
  telephony: Pick<Telephony, 'transportOf'>;
}): Module {
  const erasing = { ...conversing, transportOf: telephony.transportOf, eraseEvents };
  const erasures = createPeriodic({
    what: 'erasing customers',
    everyMs: 10_000, // A new erasure wakes this process. Other processes find it at this interval.
    run: (signal) => runErasures(erasing, signal),
    log: conversing.log,
  });
  return {
    routes: [
      ...customerRoutes(conversing),
      ...customerErasureRoutes({ ...erasing, wakeErasures: erasures.wake }),
    ],
    jobs: [erasures],
  };
}
