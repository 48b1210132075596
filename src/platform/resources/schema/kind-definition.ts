import type { z } from 'zod';
import { namesOf, type KindNames } from '../kind-names.ts';

/** Definition of a kind. The kind's CRD, validation and REST form are derived from it. */
export type KindDefinition = KindNames & {
  shortNames: readonly string[];
  /** First paragraph of `kubectl explain`. */
  description: string;
  /** Schema of the spec. It contains the CEL rules next to the fields to which they apply. */
  spec: z.ZodObject;
  status: z.ZodObject;
  printerColumns: readonly PrinterColumn[];
  /** Scalar fields that can be used with `kubectl get --field-selector`. Kubernetes allows at most eight. */
  selectableFields: readonly string[];
};

/** The part of a kind's definition from which its CRD is built. */
export type KindCrd = Pick<KindDefinition, 'shortNames' | 'description' | 'spec' | 'status'> &
  Parameters<typeof namesOf>[0] & {
    /** Columns that `kubectl get` shows between Ready and Age. */
    columns?: readonly PrinterColumn[];
    selectableFields?: readonly string[];
  };

/** Adds the names and columns that every kind has. */
export function definitionOf(given: KindCrd): KindDefinition {
  const { shortNames, description, spec, status, columns = [], selectableFields = [] } = given;
  const names = namesOf(given);
  const id = printerColumn('ID', 'string', `.status.${names.idField}`, 'ID in the REST API.');
  return {
    ...names,
    shortNames,
    description,
    spec,
    status,
    printerColumns: [READY_COLUMN, ...columns, AGE_COLUMN, MESSAGE_COLUMN, { ...id, priority: 1 }],
    selectableFields,
  };
}

/** A column in the output of `kubectl get`. With `priority: 1`, it appears only with `-o wide`. */
export type PrinterColumn = {
  name: string;
  type: 'string' | 'integer' | 'boolean' | 'date';
  jsonPath: string;
  description: string;
  priority?: 1;
};

export function printerColumn(
  name: string,
  type: PrinterColumn['type'],
  jsonPath: string,
  description: string,
): PrinterColumn {
  return { name, type, jsonPath, description };
}

const READY_COLUMN = printerColumn(
  'Ready',
  'string',
  '.status.conditions[?(@.type=="Ready")].status',
  'Whether the object is active as declared.',
);
const AGE_COLUMN = printerColumn(
  'Age',
  'date',
  '.metadata.creationTimestamp',
  'Time since the object was created.',
);
const MESSAGE_COLUMN: PrinterColumn = {
  name: 'Message',
  type: 'string',
  jsonPath: '.status.conditions[?(@.type=="Ready")].message',
  description: 'Why the object is ready or not.',
  priority: 1,
};
