import { z } from 'zod';
import { unwrap, asSchema } from '../../resources/schema/key-map.ts';
import type { AnswerShape, Route } from '../route.ts';

/**
 * OpenAPI links: the operations that can follow a response. They are derived from names: an `id` or `…_id` in a
 * response is linked to the routes that have a parameter of that name in their path, query or body. A test tool follows
 * these links.
 */
export type Links = Record<string, Link>;

type Link = {
  operationId: string;
  parameters?: Record<string, string>;
  requestBody?: Record<string, string>;
};

/** A value in a response, under the name that other routes use for it, such as `agent_id` or `event_id`. */
type Source = { name: string; expression: string };

/** Returns the links of a successful (2xx) response. Only routes that create or list something have links. */
export function linksOf(
  { route, answer }: { route: Route; answer: AnswerShape },
  routes: readonly Route[],
): Links | undefined {
  if (!makesOrLists(route)) return undefined;
  const sources = answer.schema ? sourcesIn(route, answer.schema) : [];
  const links = routes.flatMap((target) => {
    const link = target === route ? undefined : linkTo(target, route, sources);
    return link ? [[link.operationId, link] as const] : [];
  });
  return links.length > 0 ? Object.fromEntries(links) : undefined;
}

/**
 * Returns true if a route creates or lists something. Routes that read or change a resource would only repeat its
 * links.
 */
function makesOrLists({ method, path, answers }: Route): boolean {
  if (method === 'get') return !path.endsWith('}');
  return (
    method === 'post' && Object.keys(answers).some((status) => ['201', '202'].includes(status))
  );
}

function sourcesIn({ method, path }: Route, schema: z.ZodType): Source[] {
  const page = fieldsOf(schema)['data'];
  const item = page && elementOf(page);
  const [thing, at] = item ? [item, '/data/0'] : [schema, ''];
  const own = `${nounOf(thing) ?? singular(collectionOf(path))}_id`;
  return Object.entries(fieldsOf(thing)).flatMap(([name, field]): Source[] => {
    const expression = `$response.body#${at}/${name}`;
    // An action on a resource does not link the resource's id again, because the route that creates the resource
    // already does.
    if (name === 'id' && method !== 'patch' && own === ownerOf(path)) return [];
    if (name === 'id') return [{ name: own, expression }];
    if (name.endsWith('_ids') && elementOf(field))
      return [{ name: name.slice(0, -1), expression: `${expression}/0` }];
    // Resources without an id, such as versions, are linked by their number.
    return name.endsWith('_id') || name === 'version' ? [{ name, expression }] : [];
  });
}

function linkTo(target: Route, from: Route, sources: readonly Source[]): Link | undefined {
  const valueOf = (name: string) => sources.find((source) => source.name === name)?.expression;
  const owner = ownerOf(target.path);
  const parameters: Record<string, string> = {};
  for (const name of Object.keys(target.params.shape)) {
    const isSameThing = name === 'id' && target.path.startsWith(`${from.path.split('}')[0]}}`);
    const answered = valueOf(name === 'id' && owner !== undefined ? owner : name);
    const value = answered ?? (isSameThing ? '$request.path.id' : undefined);
    if (value !== undefined) parameters[name] = value;
    else if (name === 'id') return undefined;
  }
  const hasPath = Object.keys(target.params.shape).length > 0;
  for (const name of hasPath ? [] : Object.keys(target.query.shape)) {
    const value = valueOf(name);
    if (value !== undefined) parameters[name] = value;
  }
  const bodyNames = hasPath || !target.body ? [] : Object.keys(fieldsOf(target.body.schema));
  const requestBody = Object.fromEntries(
    bodyNames.flatMap((name) => {
      const value = valueOf(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const hasParameters = Object.keys(parameters).length > 0;
  const hasBody = Object.keys(requestBody).length > 0;
  const values = [...Object.values(parameters), ...Object.values(requestBody)];
  if (!values.some((value) => value.startsWith('$response'))) return undefined;
  return {
    operationId: target.operationId,
    ...(hasParameters && { parameters }),
    ...(hasBody && { requestBody }),
  };
}

/**
 * Returns the name that other routes use for the id in a path: `/v1/webhooks/{id}/test` → `endpoint_id`. Returns
 * undefined if the path has no id.
 */
function ownerOf(path: string): string | undefined {
  const [collection, rest] = path.split('/{');
  return rest === undefined ? undefined : `${singular(collectionOf(collection!))}_id`;
}

/**
 * Returns the last word of the schema's name: `CreatedWebhookEndpoint` → `endpoint`. `TelephonyProvider` keeps its full
 * name, because `provider` alone means a model provider.
 */
function nounOf(schema: z.ZodType): string | undefined {
  const id = unwrap(schema).meta()?.id;
  if (id === 'TelephonyProvider') return 'telephony_provider';
  return /[A-Z][a-z]+$/.exec(id ?? '')?.[0].toLowerCase();
}

/** Returns `deliveries` for `/v1/webhooks/{id}/deliveries`. */
function collectionOf(path: string): string {
  return path.split('/').findLast((part) => !part.startsWith('{')) ?? '';
}

/**
 * Returns the singular noun that id fields use. An endpoint's path is `/v1/webhooks`, but its id field is
 * `endpoint_id`.
 */
function singular(collection: string): string {
  if (collection === 'webhooks') return 'endpoint';
  return collection
    .replace(/ies$/, 'y')
    .replace(/s$/, '')
    .replace(/^(api|canned|model)_/, '');
}

function fieldsOf(schema: z.ZodType): Record<string, z.ZodType> {
  const type = unwrap(schema);
  if (!(type instanceof z.ZodObject)) return {};
  return Object.fromEntries(
    Object.entries(type.shape).map(([name, field]) => [name, asSchema(field)]),
  );
}

function elementOf(schema: z.ZodType): z.ZodType | undefined {
  const type = unwrap(schema);
  return type instanceof z.ZodArray ? asSchema(type.element) : undefined;
}
