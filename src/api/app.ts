import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import { ApiError } from '../errors.ts';
import { answerHealth, HEALTH_PATHS } from '../observability/health.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Authenticate } from '../services/authenticate.ts';
import type { AgentWriterDeps } from '../services/write-agent.ts';
import { answerErrors, sendRouteAnswer } from './answer.ts';
import { authorize } from './authorize.ts';
import { HOME_STYLE, homePage } from './home-page.ts';
import { readJsonBody } from './read-body.ts';
import { identifyRequest, labelRoute, logRequests, measureRequests } from './request-log.ts';
import type { Route } from './route.ts';
import { agentVersionRoutes } from './routes/agent-versions.ts';
import { agentRoutes } from './routes/agents.ts';
import { deliveryRoutes } from './routes/deliveries.ts';
import { eventRoutes, type EventRoutesDeps } from './routes/events.ts';
import { openApiRoute } from './routes/openapi.ts';
import { webhookRoutes, type WebhookRoutesDeps } from './routes/webhooks.ts';

export type AppDeps = AgentWriterDeps &
  WebhookRoutesDeps &
  EventRoutesDeps & {
    authenticate: Authenticate;
    metrics: Metrics;
    log: Logger;
    version: string;
    /** With `/metrics`, `/healthz` and `/readyz`; else the role has a port of its own for them. */
    serveHealth: boolean;
    isReady: () => Promise<boolean>;
  };

/** Every route under /v1 (contract §4); express and the OpenAPI document are made from it. */
export function createRoutes(deps: AppDeps): Route[] {
  const routes: Route[] = [
    ...agentRoutes(deps),
    ...agentVersionRoutes(deps),
    ...webhookRoutes(deps),
    ...eventRoutes(deps),
    ...deliveryRoutes(deps),
    openApiRoute({ routes: () => routes, version: deps.version }),
  ];
  return routes;
}

/** The whole of what is served over HTTP, without the server. */
export function createApp(deps: AppDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag'); // ETag is a promise about versions, not a hash of the text.
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', false); // parseQuery reads it, repeated parameters included.
  app.use(identifyRequest, measureRequests(deps.metrics), logRequests(deps.log), protect);
  app.use('/v1', (_request, response, next) => {
    response.setHeader('Cache-Control', 'no-store');
    next();
  });
  servePages(app, deps);
  if (deps.serveHealth) serveHealth(app, deps);
  const paths = Map.groupBy(createRoutes(deps), ({ path }) => path);
  for (const [path, routes] of paths) servePath(app, deps, path, routes);
  app.use((request) => {
    throw new ApiError('not_found', `there is nothing at ${request.path.slice(0, 200)}`);
  });
  app.use(answerErrors(deps.log));
  return app;
}

/** Strict: the page loads its own style sheet and nothing else. */
const protect: RequestHandler = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
      objectSrc: ["'none'"],
    },
  },
  // Whoever ends TLS in front of us decides for how long the whole domain must use it.
  strictTransportSecurity: false,
});

function servePath(app: Express, deps: AppDeps, path: string, routes: readonly Route[]): void {
  const served = app.route(path.replaceAll(/\{(\w+)\}/g, ':$1')).all(labelRoute(path));
  for (const route of routes) served[route.method](handlerOf(deps, route));
  const methods = routes.map(({ method }) => method.toUpperCase());
  served.all(
    refuseMethod(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))),
  );
}

/** The key first: who has none learns nothing, and sends no body that anybody reads. */
function handlerOf(deps: AppDeps, route: Route): RequestHandler {
  return async (request, response) => {
    const raw = {
      params: request.params,
      query: queryOf(request.url),
      readBody: (mediaTypes: readonly string[]) => readJsonBody(request, mediaTypes),
      headers: request.headers,
    };
    if (route.scope === null) {
      await sendRouteAnswer(response, await route.run(raw));
      return;
    }
    const caller = await authorize(deps.authenticate, request.headers.authorization, route.scope);
    await sendRouteAnswer(response, await route.run(raw, caller));
  };
}

/** Not by URL, which throws at some of the targets that a request line may have. */
function queryOf(url: string): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : url.slice(at + 1));
}

function refuseMethod(allowed: readonly string[]): RequestHandler {
  return (request, response) => {
    const allow = allowed.join(', ');
    response.setHeader('Allow', allow);
    throw new ApiError('method_not_allowed', `${request.method} is not possible here; ${allow} is`);
  };
}

function servePages(app: Express, deps: Pick<AppDeps, 'version' | 'serveHealth'>): void {
  const page = homePage({ version: deps.version, hasMetrics: deps.serveHealth });
  const serve = (path: string, type: string, text: string): void => {
    app
      .route(path)
      .all(labelRoute(path))
      .get((_request, response) => {
        response.type(type).send(text);
      })
      .all(refuseMethod(['GET', 'HEAD']));
  };
  serve('/', 'html', page);
  serve('/home.css', 'css', HOME_STYLE);
}

function serveHealth(app: Express, deps: Pick<AppDeps, 'metrics' | 'isReady'>): void {
  for (const path of HEALTH_PATHS) {
    app
      .route(path)
      .all(labelRoute(path))
      .get(async (_request, response) => {
        const { status, contentType, body } = await answerHealth(deps, path);
        response.status(status).setHeader('Content-Type', contentType).end(body);
      })
      .all(refuseMethod(['GET', 'HEAD']));
  }
}
