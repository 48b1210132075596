import type { Server } from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** The feed of `examples/`, which has no types. */

type Page = { documents: { id: string; deleted?: boolean }[]; next_cursor: string };
export type Documents = {
  set: (id: string, document: Record<string, unknown>) => void;
  remove: (id: string) => void;
  page: (cursor: string | undefined, size: number) => Page | undefined;
};
type Example = {
  createDocuments: () => Documents;
  createFeed: (options: {
    documents: Documents;
    secret: string;
    token?: string;
    pageSize?: number;
  }) => Server;
  readFolder: (folder: string, documents: Documents) => void;
};

const FILE = path.resolve(import.meta.dirname, '../../../examples/feed.mjs');
const example = (await import(pathToFileURL(FILE).href)) as Example;

export const { createDocuments, createFeed, readFolder } = example;
