import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Route } from '../../../src/platform/http/route.ts';
import { ROUTES, startApi, type Api } from './api-setup.ts';

/**
 * PostgreSQL cannot store U+0000, so no parameter of any route may pass it on. The cases derive from the route table,
 * so they include new parameters automatically.
 */

let api: Api;
beforeAll(async () => {
  api = await startApi({ operator: false });
});
afterAll(() => api?.stop());

type Case = [name: string, route: Route, path: string];

const filled = (path: string, value = 'x'): string => path.replaceAll(/\{\w+\}/g, value);
const ofQuery = ROUTES.flatMap((route) =>
  Object.keys(route.query.shape).flatMap((name): Case[] => {
    // Each parameter is tried together with valid other parameters, and alone.
    const others = Object.keys(route.query.shape).filter(
      (other) => other === 'q' && other !== name,
    );
    const beside = others.map((other) => `&${other}=x`).join('');
    return ['%00', 'a%00b', '%C0%80'].map((value): Case => {
      const path = `${withIds(route)}?${name}=${value}${beside}`;
      return [`${route.operationId} ${name}=${value}`, route, path];
    });
  }),
);
const ofPath = ROUTES.flatMap((route) =>
  [...route.path.matchAll(/\{(\w+)\}/g)].map(([part, name]): Case => {
    const path = filled(route.path.replace(part, 'a%00b'), '1');
    return [`${route.operationId} {${name}}`, route, path];
  }),
);

/** Returns the path with valid IDs. With other IDs, the route would respond with 404 before it reads the query. */
function withIds({ path, params }: Route): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const schema = params.shape[name] as
      | { meta?: () => { example?: string } | undefined }
      | undefined;
    return schema?.meta?.()?.example ?? 'x';
  });
}

async function ask({ method, operationId }: Route, path: string): Promise<object> {
  const signal = AbortSignal.timeout(20_000);
  const response = await fetch(api.url + path, {
    method: method.toUpperCase(),
    headers: { authorization: `Bearer ${api.key}` },
    signal,
  });
  // A stream never ends.
  if (response.ok && operationId === 'streamEvents') {
    await response.body?.cancel();
    return { status: response.status };
  }
  const text = await response.text();
  type Refusal = { code?: string; error?: { code: string } };
  const { code, error } = (text === '' ? {} : JSON.parse(text)) as Refusal;
  return { status: response.status, code: code ?? error?.code };
}

test('there are many of them', () => {
  expect(ofQuery.length).toBeGreaterThan(100);
  expect(ofPath.length).toBeGreaterThan(30);
});

describe('U+0000 is refused', () => {
  const nul = ofQuery.filter(([name]) => name.includes('%00'));
  test.each(nul)('in the query: %s', async (_, route, path) => {
    expect(await ask(route, path)).toEqual({ status: 400, code: 'invalid_parameter' });
  });

  test.each(ofPath)('in the path: %s', async (_, route, path) => {
    expect(await ask(route, path)).toEqual({ status: 400, code: 'invalid_parameter' });
  });
});

describe('what is no UTF-8 becomes U+FFFD, which can be stored', () => {
  const broken = ofQuery.filter(([name]) => name.includes('%C0'));
  test.each(broken)('%s', async (_, route, path) => {
    expect(await ask(route, path)).not.toMatchObject({ status: 500 });
    const surrogate = path.replace('%C0%80', '%ED%A0%80');
    expect(await ask(route, surrogate)).not.toMatchObject({ status: 500 });
  });
});
