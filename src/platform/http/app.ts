import express, { type Express, type RequestHandler, type Response } from 'express';
import helmet from 'helmet';
import { ApiError } from '../../errors.ts';
import { failpoint } from '../../failpoints.ts';
import { eventLoopTurns } from '../controller/event-loop-turns.ts';
import { QuotaExceededError } from '../declare/quota.ts';
import { createIdempotency, type IdempotencyDeps } from '../idempotency/idempotency.ts';
import { freshPlan } from '../idempotency/plan.ts';
import { answerHealth, HEALTH_PATHS, isHealthPath } from '../observability/health.ts';
import type { Logger } from '../observability/logger.ts';
import type { Metrics } from '../observability/metrics.ts';
import { describeWork } from '../observability/work.ts';
import { answerErrors, answerErrorsAs, sendRouteAnswer } from './answer.ts';
import {
  clientOf,
  identify,
  requireScope,
  type Authenticate,
  type AuthenticateSession,
  type WatchCaller,
} from './authorize.ts';
import { DASHBOARD_FOLDER, readDashboard, serveDashboard } from './browser/dashboard-files.ts';
import { readWidget, serveWidget, WIDGET_FOLDER } from './browser/widget-files.ts';
import { heldByKey } from './held-by-key.ts';
import { shareWithAll, shareWithOrigins } from './cross-origin.ts';
import type { InFlight, InFlightKind } from './in-flight.ts';
import { serveDocs, servePage, type Page } from './pages.ts';
import type { RateLimits } from './rate-limit.ts';
import { createBodyPlaces, type BodyPlaces } from './bodies/body-places.ts';
import { createBodyReader } from './bodies/read-body.ts';
import {
  identifyRequest,
  labelRoute,
  watchRequests,
  methodOf,
  pathOf,
  routeOf,
} from './request-log.ts';
import type { Route } from './route.ts';
import { admitConnection } from './server.ts';
import { answering, createRunOnce, type RunOnce } from './run-once.ts';
import {
  contextOf,
  inContext,
  isTracing,
  SpanKind,
  startSpan,
} from '../observability/trace-context.ts';

export type AppDeps = IdempotencyDeps & {
  routes: readonly Route[];
  /** Pages for people who have a link but no API key. */
  pages: readonly Page[];
  authenticate: Authenticate;
  authenticateSession: AuthenticateSession;
  watchCaller: WatchCaller;
  rateLimits: RateLimits;
  /** `PARLEY_BASE_URL`: the public origin of this server, regardless of the host name that a proxy sends. */
  baseUrl?: string | undefined;
  /** Origins whose pages may call /v1, or `*` for all. By default, the list is empty and no CORS headers are sent. */
  corsOrigins?: readonly string[];
  inFlight: InFlight;
  /** Time in ms after which a stream is cut if the client reads no data. */
  stalledMs?: number | undefined;
  metrics: Metrics;
  log: Logger;
  version: string;
  /**
   * If true, the app serves `/metrics`, `/healthz` and `/readyz`. If false, the process serves them on a separate port.
   */
  serveHealth: boolean;
  isReady: () => Promise<boolean>;
  /** Folder with the built dashboard. The default is the one in the package or the checkout. */
  dashboardFolder?: string;
  /** Folder with the built widget. The default is the one in the package or the checkout. */
  widgetFolder?: string;
};

/** Builds the whole HTTP application, without the server. */
export function createApp(deps: AppDeps): Express {
  const { metrics } = deps;
  metrics.beforeScrape.set('event loop', () =>
    metrics.workWaiting.set({ kind: 'event_loop' }, eventLoopTurns.waiting()),
  );
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag'); // Disables Express's own ETags, which are hashes of the body. Ours identify versions.
  app.enable('case sensitive routing');
  app.enable('strict routing');
  // Disables Express's query parser, because `parseQuery` parses the query and rejects repeated parameters.
  app.set('query parser', false);
  app.use(identifyRequest, watchRequests(deps), traceRequests, protect);
  app.use('/v1', (_request, response, next) => {
    response.setHeader('Cache-Control', 'no-store');
    next();
  });
  for (const { path, errorShape } of deps.routes) {
    // Sets the error format for all paths that begin like the route's path, up to the first path parameter. This
    // includes unknown paths.
    if (errorShape) app.use(path.replace(/\/\{.*/, ''), answerErrorsAs(errorShape));
  }
  for (const { path, isForPages } of deps.routes) if (isForPages) app.use(path, shareWithAll());
  app.use('/v1', shareWithOrigins(deps.corsOrigins ?? []));
  serveDocs(app, refuseMethod(READS));
  for (const page of deps.pages)
    servePage(app, page, { ...deps, refuse: refuseMethod([...READS, 'POST']) });
  if (deps.serveHealth) serveHealth(app, deps);
  const paths = Map.groupBy(deps.routes, ({ path }) => path);
  const serving: ServingDeps = {
    ...deps,
    bodies: createBodyPlaces(deps.metrics),
    runOnce: heldByKey(
      createRunOnce({ ...deps, idempotency: createIdempotency(deps) }),
      deps.watchCaller,
    ),
  };
  for (const [path, routes] of paths) servePath(app, serving, path, routes);
  const widget = readWidget(deps.widgetFolder ?? WIDGET_FOLDER);
  app.use(serveWidget(widget, refuseMethod(READS)));
  const dashboard = readDashboard(deps.dashboardFolder ?? DASHBOARD_FOLDER);
  app.use(serveDashboard(dashboard, refuseMethod(READS)));
  app.use((request) => {
    throw new ApiError('not_found', `There is nothing at ${request.path.slice(0, 200)}.`);
  });
  app.use(answerErrors(deps.log));
  return app;
}

/** Sets the security headers of every response. `/docs` and the dashboard have their own policies. */
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
  // The operator's TLS proxy decides whether, and for how long, the whole domain must use TLS.
  strictTransportSecurity: false,
});

type ServingDeps = Pick<
  AppDeps,
  | 'authenticate'
  | 'authenticateSession'
  | 'rateLimits'
  | 'baseUrl'
  | 'nowMs'
  | 'inFlight'
  | 'stalledMs'
  | 'metrics'
> & {
  runOnce: RunOnce;
  bodies: BodyPlaces;
};

function servePath(app: Express, deps: ServingDeps, path: string, routes: readonly Route[]): void {
  const served = app.route(path.replaceAll(/\{(\w+)\}/g, ':$1')).all(labelRoute(path));
  for (const route of routes) served[route.method](handlerOf(deps, route));
  const methods = routes.map(({ method }) => method.toUpperCase());
  served.all(
    refuseMethod(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))),
  );
}

/**
 * Returns the handler for a route. The handler checks the API key, its scope and its in-flight limits before it reads
 * the body.
 */
function handlerOf(deps: ServingDeps, route: Route): RequestHandler {
  return async (request, response) => {
    const body = createBodyReader(request, deps.bodies);
    response.once('close', body.release);
    const { params, url, headers } = request;
    const query = queryOf(url);
    const untilGone = (): AbortSignal => goneSignal(response);
    const reading = { readBody: body.json, readRaw: body.raw };
    const raw = { params, query, target: url, ...reading, headers, untilGone };
    const credentials = {
      method: request.method,
      headers,
      address: request.socket.remoteAddress ?? '',
      requestId: String(response.getHeader('request-id')),
    };
    if (route.scope === null) {
      const repeatable = { answering, plan: freshPlan(deps.nowMs()), countAs: () => undefined };
      const client = clientOf(credentials);
      const answer = await route.run({ ...raw, ...repeatable, client });
      await sendRouteAnswer(response, answer, deps.stalledMs);
      return;
    }
    const { scope, run } = route;
    const caller = await identify(deps, credentials, (said) => {
      for (const [name, value] of Object.entries(said)) response.setHeader(name, value);
    });
    describeWork({ namespace: caller.namespace });
    admitConnection(request.socket);
    requireScope(caller, scope);
    const held: (() => void)[] = [];
    const countAs = (kind: InFlightKind): void => {
      held.push(deps.inFlight.acquire(kind, caller));
    };
    const kind = route.inFlight?.(headers);
    if (kind) countAs(kind);
    try {
      const authenticated = { route, url, headers, readBytes: body.bytes, caller };
      const answer = await deps.runOnce(authenticated, (repeatable) =>
        run({ ...raw, ...repeatable, countAs }, caller),
      );
      await failpoint('api.answering');
      await sendRouteAnswer(response, answer, deps.stalledMs);
    } catch (error) {
      if (error instanceof QuotaExceededError)
        deps.metrics.quotaRefused.inc({ quota: error.quota });
      throw error;
    } finally {
      // Releases the in-flight slots only now. They must not be released when the connection closes, because the
      // request may continue after the client has disconnected.
      for (const release of held) release();
      body.reuse();
    }
  };
}

function goneSignal(response: Response): AbortSignal {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  if (response.destroyed) gone.abort();
  return gone.signal;
}

/** Returns the query of a request target. It does not use `URL`, which throws for some valid targets. */
function queryOf(url: string): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : url.slice(at + 1));
}

const READS = ['GET', 'HEAD'];

function refuseMethod(allowed: readonly string[]): RequestHandler {
  return (request, response) => {
    const allow = allowed.join(', ');
    response.setHeader('Allow', allow);
    throw new ApiError(
      'method_not_allowed',
      `${request.method} is not allowed here. Allowed: ${allow}.`,
    );
  };
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
      .all(refuseMethod(READS));
  }
}

/**
 * Continues the trace from the request's `traceparent` header (contract/requests.md#traces). If an exporter is
 * configured, the request gets a span that is named after the method and the route template. The span contains no
 * headers, path, query or body.
 */
const traceRequests: RequestHandler = (request, response, next) => {
  const { traceparent } = request.headers;
  if (!isTracing() && traceparent === undefined) return next();
  if (isHealthPath(pathOf(request.originalUrl))) return next();
  const method = methodOf(request.method);
  const { context, span } = startSpan({
    name: method,
    kind: SpanKind.SERVER,
    parent: contextOf(traceparent),
    attributes: {
      'http.request.method': method,
      'url.scheme': 'http',
      'parley.request.id': String(response.getHeader('request-id')),
    },
  });
  response.on('close', () => {
    const route = routeOf(response);
    const { statusCode } = response;
    span.rename(`${method} ${route}`);
    span.set({ 'http.route': route, 'http.response.status_code': statusCode });
    if (statusCode >= 500) span.fail(String(statusCode));
    span.end();
  });
  inContext(context, next);
};
