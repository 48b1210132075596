import { z } from 'zod';
import { ApiError, found } from '../errors.ts';
import type { Client } from '../platform/http/authorize.ts';
import { idCursor, idPage, pageOf, pageSchema } from '../platform/http/cursor.ts';
import { idParam } from '../platform/http/fields.ts';
import type { RateLimits } from '../platform/http/rate-limit.ts';
import { openRoute, route, type Route } from '../platform/http/route.ts';
import { clearCookie, cookieFor, setCookie, tokensIn } from '../platform/http/session-cookie.ts';
import { requireOwn, signOut, type SessionDeps } from './end-session.ts';
import { Session, sessionView } from './session.view.ts';
import { listSessions, readSession } from './sessions.sql.ts';
import { plainName } from './plain-name.ts';
import { NAME_LENGTH_MAX, signIn, type Credential } from './sign-in.ts';

const tag = 'Sessions';
const params = { id: idParam('ses', 'session') };

export type SessionRoutesDeps = SessionDeps & {
  nowMs: () => number;
  /** Value of `PARLEY_BASE_URL`. */
  publicUrl: string | undefined;
  rateLimits: Pick<RateLimits, 'countFailure'>;
};

/** Returns the routes for sessions of people who sign in from a browser (contract/sessions.md). */
export function sessionRoutes(deps: SessionRoutesDeps): Route[] {
  return [signInRoute(deps), ...readRoutes(deps), signOutRoute(deps)];
}

const name = plainName(NAME_LENGTH_MAX).meta({ example: 'Ada Lovelace' });
const secret = z.string().min(1).max(256);

const createBody = z
  .strictObject({
    api_key: secret.optional().describe('API key, `parley_…`.'),
    sign_in_token: secret
      .optional()
      .describe('Token from the link that `parley start` prints. It works once.'),
    name: name
      .optional()
      .describe(
        'Name of the person who signs in, as shown in histories. Required with `api_key`. Optional ' +
          'with `sign_in_token`, which already has a default name.',
      ),
  })
  .describe('Exactly one of `api_key` and `sign_in_token`, and the name of the person signing in.');

function signInRoute(deps: SessionRoutesDeps): Route {
  return openRoute({
    method: 'post',
    path: '/v1/sessions',
    operationId: 'createSession',
    tag,
    summary: 'Sign in: exchange an API key for a session',
    description:
      'Works only for pages that this server serves, over https or on loopback. The response sets ' +
      'the session cookie. The session token appears nowhere else. `Idempotency-Key` has no ' +
      'effect: a repeated request creates another session.',
    body: { schema: createBody },
    answers: { 201: { description: 'The session.', schema: Session, location: true } },
    errors: ['unauthorized', 'foreign_origin', 'https_required', 'quota_exceeded', 'rate_limited'],
    prepare: (headers) => cookieFor({ headers, baseUrl: deps.publicUrl }),
    handle: async ({ body, client, prepared: cookie }) => {
      const { row, token } = await counting(deps, client, () =>
        signIn(deps, credentialIn(body), client),
      );
      const view = sessionView(row);
      const headers = { Location: `/v1/sessions/${view.id}`, ...setCookie(cookie, token) };
      return { status: 201, body: view, headers };
    },
  });
}

/**
 * Runs a sign-in and counts its failures. Like a wrong `Authorization` header, a wrong credential counts toward the
 * failure limit of the client's address.
 */
async function counting<T>(
  { rateLimits }: SessionRoutesDeps,
  { address }: Client,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'unauthorized')
      await rateLimits.countFailure(address ?? '');
    throw error;
  }
}

/**
 * Returns the credential in a request body.
 * @throws ApiError invalid_body
 */
function credentialIn(body: z.output<typeof createBody>): Credential {
  const { api_key: apiKey, sign_in_token: signInToken, name: given } = body;
  if ((apiKey === undefined) === (signInToken === undefined)) {
    throw wrong('', 'must have exactly one of `api_key` and `sign_in_token`');
  }
  if (signInToken !== undefined) {
    return { signInToken, ...(given !== undefined && { name: given }) };
  }
  if (given === undefined)
    throw wrong('/name', 'is required with `api_key`: the name of the person appears in histories');
  return { apiKey: apiKey!, name: given }; // The checks above rule out every credential except the API key.
}

function wrong(pointer: string, detail: string): ApiError {
  const text = pointer === '' ? detail : `${pointer.slice(1)} ${detail}`;
  return new ApiError('invalid_body', text, { errors: [{ pointer, code: 'required', detail }] });
}

function readRoutes({ pool }: SessionRoutesDeps): Route[] {
  return [
    route({
      method: 'get',
      path: '/v1/sessions',
      operationId: 'listSessions',
      tag,
      scope: 'keys',
      summary: 'List sessions, newest first',
      description: 'Lists active sessions.',
      query: idPage('ses'),
      answers: { 200: { description: 'A page of sessions.', schema: pageSchema(Session) } },
      handle: async ({ caller: { namespace }, query: { limit, cursor: before } }) => {
        const rows = await listSessions(pool, { namespace, before, limit: limit + 1 });
        const shown = { limit, view: sessionView, cursorOf: idCursor('ses') };
        return { status: 200, body: pageOf(rows, shown) };
      },
    }),
    route({
      method: 'get',
      path: '/v1/sessions/{id}',
      operationId: 'getSession',
      tag,
      scope: 'any',
      alsoNeeds: { scope: 'keys', when: 'the session is not your own' },
      summary: 'Read a session',
      params,
      answers: { 200: { description: 'The session.', schema: Session } },
      errors: ['missing_scope'],
      handle: async ({ caller, params: { id } }) => {
        requireOwn(caller, id);
        const { namespace } = caller;
        const row = found(await readSession(pool, { namespace, id }), 'session');
        return { status: 200, body: sessionView(row) };
      },
    }),
  ];
}

function signOutRoute(deps: SessionRoutesDeps): Route {
  return route({
    method: 'delete',
    path: '/v1/sessions/{id}',
    operationId: 'deleteSession',
    tag,
    scope: 'any',
    alsoNeeds: { scope: 'keys', when: 'the session is not your own' },
    summary: 'Sign out: end a session',
    description: 'The session and its open streams end within 100 ms.',
    params,
    answers: { 204: { description: 'The session has ended.' } },
    errors: ['missing_scope'],
    handle: async ({ caller, params: { id }, headers }) => {
      await signOut(deps, caller, id);
      const sent = caller.sessionId === id ? tokensIn(headers) : [];
      return { status: 204, ...(sent[0] && { headers: clearCookie(sent[0].cookie) }) };
    },
  });
}
