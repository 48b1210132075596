import { kindRoutes } from '../../../kinds/declared.routes.ts';
import { CHANNELS } from '../../../platform/postgres/notifications.ts';
import type { Infrastructure } from '../infrastructure.ts';
import type { Module } from './module.ts';

/**
 * Creates the routes of the kinds that have no module of their own, and wakes requests that wait until the operator
 * has applied their write.
 */
export function createDeclared(infrastructure: Infrastructure): Module {
  const { kinds, wakeProjections } = infrastructure;
  return {
    routes: kinds.flatMap((kind) => (kind.api ? kindRoutes(kind, kind.api, infrastructure) : [])),
    listeners: { [CHANNELS.projected]: wakeProjections },
  };
}
