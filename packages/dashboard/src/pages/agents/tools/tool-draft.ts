import { isObject } from '../../../form/json-shape.ts';
import { cleaned, isSame, linesOf, setMembers, textOfLines } from '../../../form/merge.ts';
import type { Loose, Tool } from '../agent-shapes.ts';

/** One tool parameter as a row of the form. `rest` contains the JSON Schema keywords that the form does not show. */
export type ParameterRow = {
  name: string;
  type: ParameterType;
  isRequired: boolean;
  description: string;
  /** Allowed values, one per line; only for the type `string`. */
  choices: string;
  rest: object;
};

export const PARAMETER_TYPES = {
  string: 'text',
  number: 'number',
  integer: 'whole number',
  boolean: 'yes or no',
  array: 'list',
  object: 'object',
} as const;
export type ParameterType = keyof typeof PARAMETER_TYPES;

/** A JSON Schema as rows, or as a JSON string if rows cannot show it. */
export type Parameters = { rows: readonly ParameterRow[]; rest: object } | string;

/** State of the form that edits a tool. */
export type ToolDraft = Omit<Loose<Tool>, 'type' | 'name' | 'parameters' | 'headers'> & {
  type: Tool['type'];
  name: string;
  parameters: Parameters;
  headers: readonly { name: string; value: string }[];
};

export const NEW_TOOL: Tool = { type: 'webhook', name: '' };

/** Keeps the model from adding arguments that a new tool does not declare. An existing schema keeps its own setting. */
const CLOSED = { additionalProperties: false };

export const NEW_PARAMETER: ParameterRow = {
  name: '',
  type: 'string',
  isRequired: true,
  description: '',
  choices: '',
  rest: {},
};

export function draftOf({ parameters, headers, ...tool }: Tool): ToolDraft {
  return {
    ...tool,
    parameters: parameters ? parametersOf(parameters) : { rows: [], rest: CLOSED },
    headers: Object.entries(headers ?? {}).map(([name, value]) => ({ name, value })),
  };
}

/** Returns the tool that a draft describes. Omits fields that tools of this type do not use. */
export function toolOf({ parameters, headers, ...draft }: ToolDraft): Tool {
  const { type, name, description, agent, version, ...request } = draft;
  const schema = schemaOf(parameters);
  const named = headers.filter((header) => header.name.trim() !== '');
  return setMembers({
    type,
    name: name.trim(),
    description,
    ...(schema && { parameters: schema }),
    ...(type === 'handoff' && { agent, version }),
    ...(type === 'webhook' && {
      ...request,
      // A new secret replaces the reference to an earlier one.
      secret_ref: request.secret ? undefined : cleaned(request.secret_ref),
      signing_secret_ref: request.signing_secret ? undefined : cleaned(request.signing_secret_ref),
      headers: setMembers(Object.fromEntries(named.map((one) => [one.name.trim(), one.value]))),
    }),
  }) as Tool;
}

/** Returns the edited tool. If the edit changes nothing, returns the original tool exactly as it was written. */
export function editedTool(before: Tool, draft: ToolDraft): Tool {
  const after = toolOf(draft);
  return isSame(toolOf(draftOf(before)), after) ? before : after;
}

/** Returns the JSON Schema, or undefined if the tool has no parameters or the JSON is not an object. */
export function schemaOf(parameters: Parameters): Record<string, unknown> | undefined {
  if (typeof parameters === 'string') return objectIn(parameters);
  const { rows, rest } = parameters;
  const named = rows.filter(({ name }) => name.trim() !== '');
  if (named.length === 0 && isSame(rest, CLOSED)) return undefined;
  const required = named.flatMap(({ name, isRequired }) => (isRequired ? [name.trim()] : []));
  return {
    ...rest,
    type: 'object',
    properties: Object.fromEntries(named.map((row) => [row.name.trim(), propertyOf(row)])),
    ...(required.length > 0 && { required }),
  };
}

function propertyOf({ type, description, choices, rest }: ParameterRow): object {
  const allowed = type === 'string' ? linesOf(choices) : [];
  return {
    ...rest,
    type,
    ...(description.trim() !== '' && { description: description.trim() }),
    ...(allowed.length > 0 && { enum: allowed }),
  };
}

/** Returns a JSON Schema as rows, or as a JSON string if rows cannot show all of it. */
export function parametersOf(schema: Readonly<Record<string, unknown>>): Parameters {
  const { type = 'object', properties = {}, required = [], ...rest } = schema;
  const rows = type === 'object' && isObject(properties) ? rowsOf(properties, required) : undefined;
  return rows ? { rows, rest } : JSON.stringify(schema, null, 2);
}

/**
 * Returns true if rows can show the JSON Schema. Also returns true for invalid JSON, because somebody may still be
 * typing a schema that rows can show.
 */
export function hasRows(text: string): boolean {
  const schema = objectIn(text);
  return schema === undefined || typeof parametersOf(schema) !== 'string';
}

function rowsOf(
  properties: Record<string, unknown>,
  required: unknown,
): ParameterRow[] | undefined {
  const names = Object.keys(properties);
  if (!Array.isArray(required) || !required.every((name) => names.includes(name))) return undefined;
  const rows = names.map((name) => rowOf(name, properties[name], required.includes(name)));
  return rows.every((row) => row !== undefined) ? rows : undefined;
}

function rowOf(name: string, property: unknown, isRequired: boolean): ParameterRow | undefined {
  if (!isObject(property)) return undefined;
  const { type, description = '', enum: choices, ...others } = property;
  if (!isParameterType(type) || typeof description !== 'string') return undefined;
  const isList = type === 'string' && Array.isArray(choices) && choices.every(isLine);
  const rest = choices === undefined || isList ? others : { ...others, enum: choices };
  return { name, type, isRequired, description, choices: textOfLines(isList ? choices : []), rest };
}

const isLine = (choice: unknown): choice is string =>
  typeof choice === 'string' && linesOf(choice)[0] === choice;

function isParameterType(type: unknown): type is ParameterType {
  return typeof type === 'string' && Object.hasOwn(PARAMETER_TYPES, type);
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
