import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findGoTool } from './go-tool.ts';

/** Arguments → stdout. @throws Error with what helm said */
export type Helm = (args: readonly string[], env?: NodeJS.ProcessEnv) => Promise<string>;

const run = promisify(execFile);

/** Finds helm, or builds it; undefined: there is none, and the caller skips (./go-tool.ts). */
export async function findHelm(): Promise<Helm | undefined> {
  const path = await findGoTool({
    name: 'helm',
    module: 'helm.sh/helm/v4',
    source: 'helm.sh/helm/v4/cmd/helm',
    without: 'tests of the chart are LEFT OUT',
    accepts: isHelm4,
  });
  return path === undefined ? undefined : helmAt(path);
}

function helmAt(path: string): Helm {
  return async (args, env = {}) => {
    // The user's own plugins and repositories are none of a test's business.
    const home = await mkdtemp(join(tmpdir(), 'parley-helm-'));
    try {
      const options = {
        env: { PATH: process.env['PATH'], HOME: home, ...env },
        maxBuffer: 1 << 26,
      };
      return (await run(path, [...args], options)).stdout;
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  };
}

export type RenderOptions = {
  release: string;
  namespace: string;
  /** API groups of a cluster that has more than Kubernetes' own. */
  apiVersions?: readonly string[];
};

const rendered = new Map<string, Promise<string>>();

/**
 * `helm template` of the chart with these values. Resolves to the YAML. A worker renders the same values once: a run
 * of helm takes a quarter of a second of a core.
 */
export function renderText(helm: Helm, values: object, options: RenderOptions): Promise<string> {
  const key = JSON.stringify([values, options]);
  const text = rendered.get(key) ?? render(helm, values, options);
  rendered.set(key, text);
  return text;
}

async function render(helm: Helm, values: object, options: RenderOptions): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-values-'));
  try {
    const file = join(folder, 'values.json'); // JSON is YAML.
    await writeFile(file, JSON.stringify(values));
    const { release, namespace, apiVersions = [] } = options;
    const cluster = apiVersions.flatMap((one) => ['--api-versions', one]);
    const where = ['--namespace', namespace, ...cluster];
    return await helm(['template', release, CHART, ...where, '--values', file]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const CHART = fileURLToPath(new URL('../../charts/parley', import.meta.url));

/** Helm 3 renders the chart too, but words its errors in another way. */
async function isHelm4(path: string): Promise<boolean> {
  const version = await run(path, ['version', '--template', '{{.Version}}']).catch(() => undefined);
  return version?.stdout.startsWith('v4.') ?? false;
}
