import { agentStatsRoute } from '../../../analytics/agent-stats.routes.ts';
import { analyticsRoute } from '../../../analytics/analytics.routes.ts';
import { createConversationCounter } from '../../../analytics/count-conversations.ts';
import { statsRoute } from '../../../analytics/stats.routes.ts';
import type { Infrastructure } from '../infrastructure.ts';
import type { Module } from './module.ts';

/** Creates the module for conversation metrics: its routes, and the job that counts conversations. */
export function createAnalytics(infrastructure: Infrastructure): Module {
  return {
    routes: [
      agentStatsRoute(infrastructure),
      statsRoute(infrastructure),
      analyticsRoute(infrastructure),
    ],
    jobs: [createConversationCounter(infrastructure)],
  };
}
