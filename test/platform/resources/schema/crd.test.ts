import { describe, expect, test } from 'vitest';
import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { AGENT_CONTENT_FIELDS, agentSpec } from '../../../../src/agents/agent.ts';
import {
  crdFileName,
  crdYaml,
  objectSchema,
} from '../../../../src/platform/resources/schema/crd.ts';
import { structuralSchema } from '../../../../src/platform/resources/schema/json-schema.ts';
import type { StructuralSchema } from '../../../../src/platform/resources/schema/json-schema.ts';
import { KINDS } from '../../../../src/roles/kinds.ts';

const folder = new URL('../../../../crds/', import.meta.url);

describe('the CRD files', () => {
  test('are those the schemas make; `npm run generate -- crds` writes them', () => {
    const files = Object.fromEntries(KINDS.map((kind) => [crdFileName(kind), crdYaml(kind)]));
    for (const [name, yaml] of Object.entries(files)) {
      expect(readFileSync(new URL(name, folder), 'utf8')).toBe(yaml);
    }
    expect(readdirSync(folder).sort()).toEqual(Object.keys(files).sort());
  });

  test.each(KINDS)('of $kind is small enough for client-side apply', (kind) => {
    expect(Buffer.byteLength(crdYaml(kind))).toBeLessThan(100_000);
  });

  test.each(KINDS)('of $kind has a bound on every string, list and map', (kind) => {
    const unbounded = nodesOf(objectSchema(kind)).filter(({ path, node }) => {
      if (['.apiVersion', '.kind'].includes(path)) return false; // The API server defines these.
      if (node.type === 'string') return node.maxLength === undefined && node.enum === undefined;
      if (node.type === 'array') return node.maxItems === undefined;
      return node.additionalProperties !== undefined && node.maxProperties === undefined;
    });
    expect(unbounded.map(({ path }) => path)).toEqual([]);
  });

  test.each(KINDS)('of $kind describes every field', (kind) => {
    const silent = nodesOf(objectSchema(kind)).filter(({ path, node }) => {
      const isField = !path.endsWith('[]') && !path.endsWith('{}') && path !== '.metadata';
      return isField && !node.description;
    });
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  test('content fields of an agent carry no default, at any depth', () => {
    const { properties = {} } = structuralSchema(agentSpec);
    const withDefault = AGENT_CONTENT_FIELDS.flatMap((field) =>
      nodesOf(properties[field]!).filter(({ node }) => node.default !== undefined),
    );
    expect(withDefault).toEqual([]);
    expect([...AGENT_CONTENT_FIELDS].sort()).toEqual(
      'escalation firstMessage firstMessageInterruptible judgement knowledge language limits model prompt promptFrom redaction tools transcriber voice'.split(
        ' ',
      ),
    );
  });

  test('what a structural schema cannot say is refused', () => {
    const union = z.strictObject({ a: z.union([z.string(), z.int()]) });
    expect(() => structuralSchema(union)).toThrow(/anyOf/);
    const email = z.strictObject({ a: z.email() });
    expect(() => structuralSchema(email)).toThrow(/format email/);
  });
});

type Node = { path: string; node: StructuralSchema };

function nodesOf(node: StructuralSchema, path = ''): Node[] {
  const properties = Object.entries(node.properties ?? {}).flatMap(([name, child]) =>
    nodesOf(child, `${path}.${name}`),
  );
  const items = node.items ? nodesOf(node.items, `${path}[]`) : [];
  const values = node.additionalProperties ? nodesOf(node.additionalProperties, `${path}{}`) : [];
  return [{ path, node }, ...properties, ...items, ...values];
}
