import { kindRoutes } from '../../../kinds/declared.routes.ts';
import { CHANNELS } from '../../../platform/postgres/notifications.ts';
import type { Infrastructure } from '../infrastructure.ts';
import type { Module } from './module.ts';

/**
 * Creates the routes of the kinds that have no module of their own. Also passes on the notifications that the operator
 * sends after it has applied a declaration.
 */
export function createDeclared(infrastructure: Infrastructure): Module {
  const { kinds, noteProjected } = infrastructure;
  return {
    routes: kinds.flatMap((kind) => (kind.api ? kindRoutes(kind, kind.api, infrastructure) : [])),
    listeners: { [CHANNELS.projected]: noteProjected },
  };
}
