import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { clientTypes } from '../../src/platform/http/openapi/client-types.ts';
import { OPENAPI_FILE, openApiText } from '../../src/roles/api/openapi-file.ts';
import { createRoutes, describeRoutes } from '../../src/roles/describe-routes.ts';

/** The files that the routes generate are those in the repository; `npm run generate` writes them. */

const CLIENT_TYPES = new URL('../../packages/client/src/api.ts', import.meta.url);

/** Compares only the first different line. The difference of two such texts is longer than anybody reads. */
function expectSame(text: string, file: URL): void {
  const committed = readFileSync(file, 'utf8').split('\n');
  const lines = text.split('\n');
  const at = lines.findIndex((line, i) => line !== committed[i]);
  const found = { at, line: lines[at]?.slice(0, 200), count: lines.length };
  expect(found).toEqual({
    at: -1,
    line: committed[at]?.slice(0, 200),
    count: committed.length,
  });
}

test('the OpenAPI document describes the routes, also when they are described again', () => {
  for (let times = 0; times < 2; times += 1)
    expectSame(openApiText(describeRoutes(createRoutes())), OPENAPI_FILE);
});

test('the types of the client are those of the routes', () => {
  expectSame(clientTypes(describeRoutes()), CLIENT_TYPES);
});
