import { afterAll, beforeAll, expect, test } from 'vitest';
import { WriteConflictError } from '../../../src/platform/resources/resource-store.ts';
import { toUuid } from '../../../src/ids.ts';
import { projectEndpoint } from '../../../src/webhooks/endpoints/project-endpoint.ts';
import { readSealedEndpoint } from '../../../src/webhooks/endpoints/endpoint-secrets.sql.ts';
import { readEndpoint } from '../../../src/webhooks/endpoints/webhook-endpoints.sql.ts';
import { startApi, type Api } from '../../roles/api/api-setup.ts';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

test('what the operator read of a Secret before a rotation does not undo the rotation', async () => {
  const { pool, sealer } = api.engine;
  const { body } = await api.call('POST', '/v1/webhooks', {
    json: { url: 'https://example.com/' },
  });
  const key = { namespace: 'default', id: toUuid('we', body.id)! };
  const stored = (await readSealedEndpoint(pool, key.id))!;
  const { rows } = await pool.query<{ epoch: number }>('select epoch from leader_epochs');
  const { createdAt: _, updatedAt: __, ...endpoint } = (await readEndpoint(pool, key))!;

  await api.call('POST', `/v1/webhooks/${body.id}/rotate_secret`, { json: { overlap_sec: 0 } });
  const rotated = await readSealedEndpoint(pool, key.id);
  const stale = projectEndpoint(
    {
      pool,
      sealer,
      limits: api.engine.limits,
      notifier: { notify: () => undefined, stop: async () => undefined },
    },
    // As a reconcile that began before the rotation and found another secret than the row had.
    {
      epoch: rows[0]!.epoch,
      endpoint,
      whoElse: () => undefined,
      headers: {},
      secrets: { secret: `whsec_${'A'.repeat(43)}=` },
      stored,
    },
  );
  await expect(stale).rejects.toThrow(WriteConflictError);
  // The operator of this test may have copied it to its Secret meanwhile.
  const copied = { isCopied: expect.any(Boolean) };
  expect(await readSealedEndpoint(pool, key.id)).toEqual({ ...rotated, ...copied });
});
