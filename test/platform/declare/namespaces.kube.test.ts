import { expect, test } from 'vitest';
import { insertApiKey, newKeyText } from '../../../src/access/api-keys.sql.ts';
import { SCOPES } from '../../../src/platform/http/authorize.ts';
import { startApi } from '../../roles/api/api-setup.ts';

// Only for Kubernetes: tables accept every namespace.
test('a key of a namespace that is not there is 409 namespace_refused', async () => {
  const api = await startApi({ storeName: 'kubernetes' });
  try {
    const key = newKeyText();
    await insertApiKey(api.engine.pool, { namespace: 'nowhere', scopes: SCOPES, text: key });
    const refused = await api.call('POST', '/v1/agents', { key, json: { prompt: 'x' } });
    expect(refused.status).toBe(409);
    expect(refused.body.code).toBe('namespace_refused');
  } finally {
    await api.stop();
  }
});
