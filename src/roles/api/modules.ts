import type { Route } from '../../platform/http/route.ts';
import type { Infrastructure } from './infrastructure.ts';
import { createAccess, type Access } from './modules/access.ts';
import { createAgents } from './modules/agents.ts';
import { createAnalytics } from './modules/analytics.ts';
import { createCalls, type Calls } from './modules/calls.ts';
import {
  createConversations,
  type ConversationPorts,
  type Conversations,
} from './modules/conversations.ts';
import { createCustomers } from './modules/customers.ts';
import { createDeclared } from './modules/declared.ts';
import { createEvents } from './modules/events.ts';
import { createHousekeeping } from './modules/housekeeping.ts';
import { createKnowledge } from './modules/knowledge.ts';
import { createModels } from './modules/models.ts';
import type { Module } from './modules/module.ts';
import { createTalks } from './modules/talks.ts';
import { createTelephony } from './modules/telephony.ts';

/** Options that change how the modules work, mostly for tests and `parley start`. */
export type ModuleOptions = Pick<ConversationPorts, 'responder' | 'sampleModel' | 'lookup'> & {
  /** Requests per minute for one API key; 0 means no limit. */
  rateLimit: number;
};

export type Modules = {
  /** All modules, in the order in which the router and the OpenAPI document use them. */
  all: readonly Module[];
  access: Access;
  calls: Calls;
  conversations: Conversations;
};

/** Creates the modules of the API and connects them. Opens no connection and starts nothing. */
export function createModules(infrastructure: Infrastructure, options: ModuleOptions): Modules {
  const { rateLimit, responder, sampleModel, lookup } = options;
  const access = createAccess(infrastructure, { rateLimit });
  const models = createModels(infrastructure);
  const knowledge = createKnowledge(infrastructure, models);
  const telephony = createTelephony(infrastructure, { lookup });
  const conversations = createConversations(infrastructure, {
    access,
    knowledge,
    models,
    telephony,
    responder,
    sampleModel,
    lookup,
  });
  const { conversing } = conversations;
  const calls = createCalls(infrastructure, { access, conversing, models, telephony });
  const customers = createCustomers({ conversing, telephony });
  const talks = createTalks(infrastructure, { conversing, calls });
  const agents = createAgents(infrastructure, { sampleModel });
  const analytics = createAnalytics(infrastructure);
  const events = createEvents(infrastructure);
  const declared = createDeclared(infrastructure);
  const housekeeping = createHousekeeping(infrastructure);
  // `models` precedes `declared`, because otherwise `/v1/model_providers/test` would match the path of a single
  // provider.
  const answering = [
    agents,
    analytics,
    events,
    conversations,
    calls,
    customers,
    knowledge,
    models,
    declared,
    talks,
    access,
  ];
  const all = [...answering, housekeeping, telephony];
  return { all, access, calls, conversations };
}

/** Returns every route under /v1 (contract/README.md#shapes). */
export function routesOf({ all }: Pick<Modules, 'all'>): Route[] {
  return all.flatMap(({ routes = [] }) => routes);
}
