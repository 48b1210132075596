import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
// @ts-expect-error -- plain JavaScript, which runs before anything is installed
import { writeSbom as write } from '../../bin/sbom.mjs';

const writeSbom = write as (to: { root: string; file: string; optional?: boolean }) => void;
const ROOT = path.resolve(import.meta.dirname, '../..');
const document = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.looseObject({ component: z.looseObject({ purl: z.string(), name: z.string() }) }),
  components: z.array(
    z.looseObject({
      name: z.string(),
      version: z.string(),
      hashes: z.array(z.object({ alg: z.string(), content: z.string() })),
      licenses: z.array(z.unknown()).min(1),
    }),
  ),
});

describe('the bill of materials', () => {
  let folder: string;
  let text: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'parley-sbom-'));
    text = await made('first.json');
  });

  afterAll(async () => rm(folder, { recursive: true, force: true }));

  async function made(name: string, optional = true): Promise<string> {
    const file = path.join(folder, name);
    writeSbom({ root: ROOT, file, optional });
    return readFile(file, 'utf8');
  }

  const namesIn = (of: string): string[] =>
    document
      .parse(JSON.parse(of))
      .components.map(({ name, version }) => `${name}@${version}`)
      .toSorted();

  test('names Parley, and every run-time package with version, SHA-512 and licence', () => {
    const { metadata, components } = document.parse(JSON.parse(text));
    expect(metadata.component.name).toBe('parley');
    expect(metadata.component.purl).toMatch(/^pkg:npm\/parley@\d/);
    const shipped = locked(({ dev }) => dev !== true).filter((name) => !name.startsWith(OF_TOOL));
    expect(namesIn(text)).toEqual(shipped);
    for (const { name, hashes } of components) {
      expect({ name, algorithms: hashes.map(({ alg }) => alg) }).toEqual({
        name,
        algorithms: ['SHA-512'],
      });
    }
  });

  test('is the same to the byte when it is made again', async () => {
    expect(await made('again.json')).toBe(text);
  });

  test('of the image lacks what the image lacks', async () => {
    const inImage = namesIn(await made('image.json', false));
    expect(inImage).toEqual(
      locked(({ dev, optional, devOptional }) => !dev && !optional && !devOptional),
    );
    expect(inImage.length).toBeLessThan(namesIn(text).length);
    const dockerfile = readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8');
    expect(dockerfile).toContain('bin/build.mjs dist --no-optional');
    expect(dockerfile).toContain('npm ci --omit=dev --omit=optional');
  });
});

/** Not marked as a tool's, because `unpdf` may use it too where somebody installs it. */
const OF_TOOL = '@napi-rs/canvas';

type Locked = {
  version: string;
  link?: boolean;
  dev?: boolean;
  optional?: boolean;
  devOptional?: boolean;
};

/** `name@version` of the lock file's packages, sorted, each once. */
function locked(keep: (one: Locked) => boolean): string[] {
  const { packages } = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const names = Object.entries(packages)
    .filter(([folder, one]) => folder.includes('node_modules/') && !one.link && keep(one))
    .map(([folder, { version }]) => `${folder.split('node_modules/').at(-1)}@${version}`);
  return [...new Set(names)].toSorted();
}
