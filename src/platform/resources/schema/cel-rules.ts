import { Environment } from '@marcbachmann/cel-js';
import type { FieldError } from '../../../errors.ts';
import type { StructuralSchema } from './json-schema.ts';

/**
 * Evaluates all rules of a schema on a value. The caller must already have checked that the value is valid in all other
 * respects.
 */
export type RuleChecker = (value: unknown) => FieldError[];

type Rule = { holds: (self: unknown) => boolean; message: string; subPointer: string };
/** The parts of a schema node that are needed to evaluate its rules. */
type RuleNode = {
  rules: Rule[];
  isInteger: boolean;
  properties: Map<string, RuleNode>;
  items: RuleNode | undefined;
  values: RuleNode | undefined;
};

/**
 * Compiles the CEL rules in a CRD. They behave as in kube-apiserver: `self` is the value at the schema node. Rules may
 * use only core CEL, because the functions in Kubernetes' CEL library are not registered here. Transition rules
 * (`oldSelf`) are not supported and fail to parse.
 */
export function compileRules(schema: StructuralSchema): RuleChecker {
  const environment = new Environment().registerVariable('self', 'dyn');
  const root = compileNode(schema, environment);
  return (value) => {
    const errors: FieldError[] = [];
    check(root, value, '', errors);
    return errors;
  };
}

function compileNode(schema: StructuralSchema, environment: Environment): RuleNode {
  const child = (node: StructuralSchema | undefined) => node && compileNode(node, environment);
  const properties = Object.entries(schema.properties ?? {}).map(
    ([name, node]) => [name, compileNode(node, environment)] as const,
  );
  return {
    rules: (schema['x-kubernetes-validations'] ?? []).map(({ rule, message, fieldPath }) => {
      const program = environment.parse(rule);
      return {
        holds: (self) => program({ self }) === true,
        message,
        subPointer: (fieldPath ?? '').replaceAll('.', '/'),
      };
    }),
    isInteger: schema.type === 'integer',
    properties: new Map(properties),
    items: child(schema.items),
    values: child(schema.additionalProperties),
  };
}

/**
 * Checks the rules on a value and the values inside it, innermost first. Returns the value as CEL represents it:
 * integers as bigint and objects as `Map`.
 */
function check(node: RuleNode, value: unknown, pointer: string, errors: FieldError[]): unknown {
  const self = checkChildren(node, value, pointer, errors);
  for (const rule of node.rules) {
    if (!rule.holds(self)) {
      errors.push({ pointer: pointer + rule.subPointer, code: 'rule', detail: rule.message });
    }
  }
  return self;
}

function checkChildren(
  node: RuleNode,
  value: unknown,
  pointer: string,
  errors: FieldError[],
): unknown {
  if (node.isInteger && typeof value === 'number') return BigInt(value);
  const { items } = node;
  if (Array.isArray(value)) {
    if (!items) return value;
    return value.map((item, i) => check(items, item, `${pointer}/${i}`, errors));
  }
  if (typeof value !== 'object' || value === null) return value;
  // A `Map` is used, because CEL would also find inherited properties of a plain object, such as `constructor`.
  const entries = Object.entries(value).map(([key, member]): [string, unknown] => {
    const child = node.properties.get(key) ?? node.values;
    return [key, child ? check(child, member, `${pointer}/${escapeToken(key)}`, errors) : member];
  });
  return new Map(entries);
}

/** Escapes a key for use in a JSON Pointer (RFC 6901). */
export function escapeToken(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
