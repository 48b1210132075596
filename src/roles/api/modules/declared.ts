import { kindRoutes } from '../../../kinds/declared.routes.ts';
import { CHANNELS } from '../../../platform/postgres/notifications.ts';
import type { Infrastructure } from '../infrastructure.ts';
import type { Module } from './module.ts';

/** Routes of the kinds without routes of their own, and the wake-up of writes that await their projection. */
export function createDeclared(infrastructure: Infrastructure): Module {
  const { kinds, wakeProjections } = infrastructure;
  return {
    routes: kinds.flatMap((kind) => (kind.api ? kindRoutes(kind, kind.api, infrastructure) : [])),
    listeners: { [CHANNELS.projected]: wakeProjections },
  };
}
