/**
 * Generates TypeScript types from an OpenAPI 3.1 document, in the form that openapi-fetch expects: `paths`,
 * `components` and `webhooks`. Existing generators need a different compiler version from ours, so we wrote our own
 * generator. It supports only the schema features that our API uses, and throws for all others.
 */

type Schema = Record<string, unknown>;
type Json = Record<string, unknown>;

const HEAD = `/**
 * Generated from the OpenAPI document: \`npm run generate -- client\`. A test compares it with what would be
 * generated.
 */
`;

/**
 * Returns the TypeScript source of the types.
 * @param document from `describeApi`
 */
export function clientTypes(document: object): string {
  const { paths, webhooks, components } = document as Record<string, Json>;
  const schemas = objectAt(components, 'schemas');
  return [
    HEAD,
    `/** A path has only the methods that it declares. */
type Only<T> = T & { [Method in Exclude<AnyMethod, keyof T>]?: never };
type AnyMethod = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch' | 'trace';
/** A problem document with one of these codes. */
type Refused<Code> = {
  headers: { [name: string]: unknown };
  content: { 'application/problem+json': components['schemas']['Problem'] & { code: Code } };
};
`,
    `export interface components {\n  schemas: ${block(
      entries(schemas).map(([name, schema]) =>
        member(name, typeOf(schema, 2), schema['description']),
      ),
      1,
    )};\n}\n`,
    `export interface paths ${block(entries(paths).map(([path, item]) => member(path, `Only<${methodsOf(item)}>`)))}\n`,
    `export interface webhooks ${block(entries(webhooks).map(([name, item]) => member(name, `{ post: ${operation(objectAt(item, 'post'), 2)} }`)))}\n`,
  ].join('\n');
}

function methodsOf(item: Json): string {
  return block(
    entries(item).map(([method, value]) => member(method, operation(value, 2), value['summary'])),
    1,
  );
}

function operation(value: Json, depth: number): string {
  const body = value['requestBody'] as Json | undefined;
  const content = body && `{ content: ${contentOf(objectAt(body, 'content'), depth + 1)} }`;
  return block(
    [
      `parameters: ${parametersOf((value['parameters'] ?? []) as Json[], depth + 1)};`,
      content === undefined
        ? 'requestBody?: never;'
        : `requestBody${body?.['required'] === true ? '' : '?'}: ${content};`,
      `responses: ${block(
        entries(objectAt(value, 'responses')).map((entry) => response(entry, depth + 2)),
        depth + 1,
      )};`,
    ],
    depth,
  );
}

function response([status, value]: [string, Json], depth: number): string {
  const content = value['content'] as Json | undefined;
  const codes = codesOf(objectAt(content, 'application/problem+json'));
  if (codes !== undefined) return `${key(status)}: Refused<${union(codes.map(literal))}>;`;
  const shown = content ? `content: ${contentOf(content, depth)}` : 'content?: never';
  return `${key(status)}: { headers: { [name: string]: unknown }; ${shown} };`;
}

/** Returns the error codes in a problem schema that `problemWith` (openapi.ts) has built. */
function codesOf(problem: Json): unknown[] | undefined {
  const { allOf } = objectAt(problem, 'schema');
  const own: unknown = Array.isArray(allOf) ? allOf[1] : undefined;
  const code = objectAt(objectAt(own as Json | undefined, 'properties'), 'code')['enum'];
  return Array.isArray(code) ? code : undefined;
}

function contentOf(content: Json, depth: number): string {
  const forms = entries(content).map(([type, media]) =>
    member(type, typeOf(objectAt(media, 'schema'), depth + 1)),
  );
  return block(forms, depth);
}

function parametersOf(parameters: readonly Json[], depth: number): string {
  const groups = ['query', 'header', 'path', 'cookie'].map((place) => {
    const own = parameters.filter((parameter) => parameter['in'] === place);
    if (own.length === 0) return `${place}?: never;`;
    const isRequired = own.some(({ required }) => required === true);
    const members = own.map((parameter) => {
      const open = /^(.+\.)\*$/.exec(String(parameter['name']));
      if (open) return openMember(open[1]!, parameter['description']);
      const name = `${String(parameter['name'])}${parameter['required'] === true ? '' : '?'}`;
      const type = typeOf(objectAt(parameter, 'schema'), depth + 2);
      return member(name, type, parameter['description']);
    });
    return `${place}${isRequired ? '' : '?'}: ${block(members, depth + 1)};`;
  });
  return block(groups, depth);
}

/**
 * Returns the TypeScript type of a schema.
 * @param depth indentation of the enclosing block
 */
function typeOf(schema: Schema, depth: number): string {
  const { $ref, allOf, anyOf, oneOf, type } = schema;
  if (typeof $ref === 'string') {
    return `components['schemas'][${quote($ref.split('/').at(-1)!)}]`;
  }
  if ('const' in schema) return literal(schema['const']);
  if (Array.isArray(schema['enum'])) return union(schema['enum'].map(literal));
  if (Array.isArray(allOf)) return `(${allOf.map((part) => typeOf(part, depth)).join(' & ')})`;
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices)) return union(choices.map((part) => typeOf(part, depth)));
  if (Array.isArray(type)) return union(type.map((one) => typeOf({ ...schema, type: one }, depth)));
  switch (type) {
    case 'string':
      return 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array':
      return `${typeOf(objectAt(schema, 'items'), depth)}[]`;
    case 'object':
      return objectType(schema, depth);
    case undefined:
      if (schema['properties'] !== undefined) return objectType(schema, depth);
      return 'unknown';
    default:
      throw new Error(`no TypeScript for the JSON Schema type ${JSON.stringify(type)}`);
  }
}

function objectType(schema: Schema, depth: number): string {
  const { additionalProperties: rest, required } = schema;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const members = entries(objectAt(schema, 'properties')).map(([name, property]) => {
    const marked = needed.includes(name) ? name : `${name}?`;
    return member(marked, typeOf(property, depth + 1), property['description']);
  });
  const value = typeof rest === 'object' && rest !== null ? typeOf(rest as Schema, depth + 1) : '';
  if (members.length === 0) {
    if (rest === false) return 'Record<string, never>';
    return `{ [name: string]: ${value === '' ? 'unknown' : value} }`;
  }
  // The index signature must also be compatible with the named members, whose types differ, so it is `unknown`.
  return block([...members, ...(value === '' ? [] : ['[name: string]: unknown;'])], depth);
}

/** Declares a parameter that stands for all names with a prefix, such as `metadata.plan`. Its value is a string. */
function openMember(start: string, note: unknown): string {
  const comment = typeof note === 'string' ? `/** ${note.replaceAll('*/', '*\\/')} */\n` : '';
  return `${comment}[name: \`${start}\${string}\`]: string;`;
}

/** Declares a member. If the name ends with `?` (such as `limit?`), the member is optional. */
function member(name: string, type: string, note?: unknown): string {
  const comment = typeof note === 'string' ? `/** ${note.replaceAll('*/', '*\\/')} */\n` : '';
  const isOptional = name.endsWith('?');
  return `${comment}${key(isOptional ? name.slice(0, -1) : name)}${isOptional ? '?' : ''}: ${type};`;
}

/** Puts each member on its own line, indented. */
function block(members: readonly string[], depth = 0): string {
  if (members.length === 0) return '{}';
  const indent = '  '.repeat(depth + 1);
  const lines = members.flatMap((text) => {
    // Only the first line of a member is indented here; nested blocks are already indented.
    const [first = '', ...rest] = text.split('\n');
    const own = first.startsWith('/**') ? [first, rest.shift() ?? ''] : [first];
    return [...own.map((line) => indent + line), ...rest];
  });
  return `{\n${lines.join('\n')}\n${'  '.repeat(depth)}}`;
}

function union(types: readonly string[]): string {
  const all = [...new Set(types)];
  return all.length === 1 ? all[0]! : `(${all.join(' | ')})`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? quote(value) : JSON.stringify(value);
}

function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$|^\d+$/.test(name) ? name : quote(name);
}

function quote(text: string): string {
  return `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`;
}

function entries(object: Json | undefined): [string, Json][] {
  return Object.entries(object ?? {}) as [string, Json][];
}

function objectAt(object: Json | undefined, name: string): Json {
  return (object?.[name] ?? {}) as Json;
}
