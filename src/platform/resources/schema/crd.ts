import { stringify } from 'yaml';
import { structuralSchema, type StructuralSchema } from './json-schema.ts';
import { hasWords, wordsOf } from './patterns.ts';
import { API_GROUP, API_VERSION, pluralOf } from '../kind-names.ts';
import type { KindDefinition } from './kind-definition.ts';

/**
 * Builds the CustomResourceDefinition for a kind (contract/custom-resources.md). The schema of the CRD defines which
 * objects are valid. In a cluster, the API server enforces the schema; elsewhere, `validate.ts` does.
 */
export function buildCrd(definition: KindDefinition) {
  const { kind, shortNames, printerColumns, selectableFields } = definition;
  const plural = pluralOf(kind);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${API_GROUP}` },
    spec: {
      group: API_GROUP,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames: [...shortNames],
        categories: ['parley'],
      },
      scope: 'Namespaced',
      versions: [
        {
          name: API_VERSION.slice(API_GROUP.length + 1),
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: printerColumns,
          selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })),
          schema: { openAPIV3Schema: withWords(objectSchema(definition)) },
        },
      ],
    },
  };
}

/**
 * Replaces each pattern that has a description in words (patterns.ts) with a CEL rule. For a value that does not match
 * a pattern, the API server reports only the regular expression. For a value that violates a rule, it reports the
 * rule's message.
 */
function withWords(schema: StructuralSchema): StructuralSchema {
  const { pattern, properties, items, additionalProperties: values, ...rest } = schema;
  const rules = rest['x-kubernetes-validations'] ?? [];
  return {
    ...rest,
    ...(pattern !== undefined && !hasWords(pattern) && { pattern }),
    ...(pattern !== undefined &&
      hasWords(pattern) && {
        'x-kubernetes-validations': [
          { rule: `self.matches(${JSON.stringify(pattern)})`, message: wordsOf(pattern) },
          ...rules,
        ],
      }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, child]) => [name, withWords(child)]),
      ),
    }),
    ...(items && { items: withWords(items) }),
    ...(values && { additionalProperties: withWords(values) }),
  };
}

/**
 * Returns the CRD as YAML for the file in `crds/`. Long lines are not folded, so that patterns can be found with grep.
 */
export function crdYaml(definition: KindDefinition): string {
  const head = '# Written by src/roles/generate-crds.ts from the schemas beside it; do not edit.\n';
  // kubectl reads YAML 1.1, so strings that YAML 1.1 would parse as booleans are quoted.
  const options = { lineWidth: 0, aliasDuplicateObjects: false, compat: 'yaml-1.1' } as const;
  return head + stringify(buildCrd(definition), options);
}

export function crdFileName(definition: KindDefinition): string {
  return `${API_GROUP}_${pluralOf(definition.kind)}.yaml`;
}

/** Returns the schema of a whole object, including the root. */
export function objectSchema(definition: KindDefinition): StructuralSchema {
  return {
    description: definition.description,
    type: 'object',
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string', description: `Always ${API_VERSION}.` },
      kind: { type: 'string', description: `Always ${definition.kind}.` },
      metadata: { type: 'object' },
      spec: structuralSchema(definition.spec),
      // Tools that wait for readiness (kstatus, `helm --wait`, Flux) treat an object without `observedGeneration` as
      // ready. -1 means that no controller has processed the object yet.
      status: { ...structuralSchema(definition.status), default: { observedGeneration: -1 } },
    },
    'x-kubernetes-validations': [
      {
        // The API server allows a custom resource's name to be a subdomain of up to 253 characters. Names of Parley's
        // objects must be shorter, because they are also used in the REST API and in the names of Secrets.
        rule: "self.metadata.name.size() <= 63 && !self.metadata.name.contains('.')",
        message: 'the name must be a DNS label: at most 63 characters, without dots',
        fieldPath: '.metadata',
      },
    ],
  };
}
