import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase } from '../platform/postgres/postgres.ts';
import { startRoles, type Parley } from '../roles/parley-process.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let parley: Parley | undefined;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await parley?.stop();
  await database.drop();
});

test('migrate, operator, api and delivery are commands, each a process that ends with 0', async () => {
  parley = await startRoles({ databaseUrl: database.url });
  const created = await parley.call('POST', '/v1/webhooks', {
    url: 'https://crm.example.com/hook',
  });
  // The API answers 201 once the operator has projected the declaration.
  expect(created).toMatchObject({ status: 201 });
  expect(await parley.stop()).toEqual([0, 0, 0]);
  parley = undefined;
});
