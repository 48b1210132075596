import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type AnyRoute,
} from '@tanstack/react-router';
import { rememberFilters } from '../data/last-filters.ts';
import { TroubleNote } from '../ui/trouble.tsx';
import { NotFoundPage } from './not-found.tsx';
import { Shell } from './shell.tsx';

const loaders: (() => Promise<unknown>)[] = [];

const root = createRootRoute({ component: Shell, notFoundComponent: NotFoundPage });

/**
 * All pages by address. A page is loaded when the pointer rests on a link to it. After the first page has rendered, the
 * others are loaded in the background (`loadAllPages`). Filters are kept in the query string as plain text.
 */
const pages = [
  page('/', () => import('../pages/overview/overview-page.tsx'), 'OverviewPage'),
  page('/agents', () => import('../pages/agents/agents-page.tsx'), 'AgentsPage'),
  page('/agents/new', () => import('../pages/agents/new-agent-page.tsx'), 'NewAgentPage'),
  page('/agents/$agentId', () => import('../pages/agents/agent-page.tsx'), 'AgentPage'),
  page(
    '/agents/$agentId/versions',
    () => import('../pages/agents/agent-versions-page.tsx'),
    'AgentVersionsPage',
  ),
  page(
    '/agents/$agentId/activations',
    () => import('../pages/agents/agent-activations-page.tsx'),
    'AgentActivationsPage',
  ),
  page(
    '/agents/$agentId/figures',
    () => import('../pages/agents/agent-figures-page.tsx'),
    'AgentFiguresPage',
  ),
  page(
    '/agents/$agentId/playground',
    () => import('../pages/playground/playground-page.tsx'),
    'PlaygroundPage',
  ),
  page(
    '/conversations',
    () => import('../pages/conversations/conversations-page.tsx'),
    'ConversationsPage',
  ),
  page(
    '/conversations/$conversationId',
    () => import('../pages/conversations/conversation-page.tsx'),
    'ConversationPage',
  ),
  page('/customers/$userId', () => import('../pages/customers/customer-page.tsx'), 'CustomerPage'),
  // The list and an open escalation share one page, so that choosing another escalation neither reloads the list nor
  // moves the focus.
  page(
    '/escalations/{-$escalationId}',
    () => import('../pages/escalations/escalations-page.tsx'),
    'EscalationsPage',
  ),
  page('/analytics', () => import('../pages/analytics/analytics-page.tsx'), 'AnalyticsPage'),
  page('/knowledge', () => import('../pages/knowledge/sources-page.tsx'), 'SourcesPage'),
  page(
    '/knowledge/sources/$sourceId',
    () => import('../pages/knowledge/source-page.tsx'),
    'SourcePage',
  ),
  page('/knowledge/gaps', () => import('../pages/knowledge/gaps-page.tsx'), 'GapsPage'),
  page('/knowledge/gaps/$gapId', () => import('../pages/knowledge/gap-page.tsx'), 'GapPage'),
  page(
    '/knowledge/search',
    () => import('../pages/knowledge/knowledge-search-page.tsx'),
    'KnowledgeSearchPage',
  ),
  page('/webhooks', () => import('../pages/webhooks/endpoints-page.tsx'), 'EndpointsPage'),
  page('/webhooks/new', () => import('../pages/webhooks/new-endpoint-page.tsx'), 'NewEndpointPage'),
  page(
    '/webhooks/$endpointId',
    () => import('../pages/webhooks/endpoint-page.tsx'),
    'EndpointPage',
  ),
  page(
    '/webhooks/$endpointId/signature',
    () => import('../pages/webhooks/signature/signature-page.tsx'),
    'SignaturePage',
  ),
  page(
    '/webhooks/deliveries',
    () => import('../pages/webhooks/deliveries-page.tsx'),
    'DeliveriesPage',
  ),
  page(
    '/webhooks/deliveries/$deliveryId',
    () => import('../pages/webhooks/delivery-page.tsx'),
    'DeliveryPage',
  ),
  page('/webhooks/events', () => import('../pages/webhooks/events-page.tsx'), 'EventsPage'),
  page('/webhooks/events/$eventId', () => import('../pages/webhooks/event-page.tsx'), 'EventPage'),
  page('/calls', () => import('../pages/calls/calls-page.tsx'), 'CallsPage'),
  page('/calls/$callId', () => import('../pages/calls/call-page.tsx'), 'CallPage'),
  page('/settings', () => import('../pages/settings/keys-page.tsx'), 'KeysPage'),
  page('/settings/sessions', () => import('../pages/settings/sessions-page.tsx'), 'SessionsPage'),
  page('/settings/audit', () => import('../pages/settings/audit-page.tsx'), 'AuditPage'),
  page('/settings/jobs', () => import('../pages/settings/jobs-page.tsx'), 'JobsPage'),
  page(
    '/settings/providers',
    () => import('../pages/settings/providers/providers-page.tsx'),
    'ProvidersPage',
  ),
  page(
    '/settings/providers/new',
    () => import('../pages/settings/providers/new-provider-page.tsx'),
    'NewProviderPage',
  ),
  page(
    '/settings/providers/$providerId',
    () => import('../pages/settings/providers/provider-page.tsx'),
    'ProviderPage',
  ),
  page(
    '/settings/telephony',
    () => import('../pages/settings/telephony/telephony-page.tsx'),
    'TelephonyPage',
  ),
  page('/settings/usage', () => import('../pages/settings/usage-page.tsx'), 'UsagePage'),
];

export const router = createRouter({
  routeTree: root.addChildren(pages),
  defaultPreload: 'intent',
  defaultPendingMs: 300,
  scrollRestoration: true,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const text = new URLSearchParams(search as Record<string, string>).toString();
    return text === '' ? '' : `?${text}`;
  },
  defaultErrorComponent: ({ error, reset }) => (
    <main className="page" id="main">
      <TroubleNote error={error} onRetry={reset} />
    </main>
  ),
});

router.subscribe('onBeforeNavigate', ({ fromLocation }) => {
  if (fromLocation) rememberFilters(fromLocation);
});

/**
 * Loads every page, one at a time while the browser is idle, so that navigation never waits for a download.
 * @returns a function that stops the loading
 */
export function loadAllPages(): () => void {
  let isOver = false;
  const waiting = [...loaders];
  const next = (): void => {
    const load = waiting.shift();
    if (!load || isOver) return;
    // If a page fails to load in the background, the error is ignored. Opening the page loads it again and shows any
    // error.
    void load().finally(() => requestIdleCallback(next));
  };
  requestIdleCallback(next);
  return () => {
    isOver = true;
  };
}

/** Creates the route for a page. `load` imports the page's module, which exports the page component as `name`. */
function page<Name extends string>(
  path: string,
  load: () => Promise<Record<Name, () => React.ReactNode>>,
  name: Name,
): AnyRoute {
  loaders.push(load);
  return createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(load, name),
  });
}
