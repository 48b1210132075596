import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACCOUNTS, grantedByDocument } from '../chart/granted.ts';
import { allowedTo, type Ask } from '../chart/try-rights.ts';
import { eventually, helm, kubectl, kubectlApply } from './kubectl.ts';

/**
 * As each service account of the chart on a real cluster: every verb on every kind it serves, and
 * requests for Secrets themselves. No pod has to run for that.
 */

const CHART = path.resolve(import.meta.dirname, '../../charts/parley');
const NAMESPACE = 'parley-rights';
const WATCHED = 'parley-rights-team';
const SECRETS = `/api/v1/namespaces/${WATCHED}/secrets`;
const SECRET = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'crm-signing', namespace: WATCHED, labels: { 'parley.dev/allow': 'true' } },
  stringData: { secret: 'canary' },
};

let proxy: ChildProcess;
let url: string;

beforeAll(async () => {
  for (const name of [NAMESPACE, WATCHED]) {
    await kubectlApply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  await helm(
    'upgrade',
    '--install',
    'rights',
    CHART,
    '-n',
    NAMESPACE,
    '--set',
    `watchNamespaces={${WATCHED}}`,
    '--set',
    'database.url=postgresql://none/none',
    '--set',
    'operator.replicas=0',
    '--set',
    'networkPolicy.databaseCidrs={192.0.2.10/32}',
    // A cluster that had Parley before has kept its CRDs, owned by the release of that time.
    '--take-ownership',
  );
  await kubectlApply(SECRET);
  proxy = spawn('kubectl', ['proxy', '--port=0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  url = await new Promise((resolve, reject) => {
    proxy.once('error', reject);
    proxy.stdout!.setEncoding('utf8').on('data', (text: string) => {
      const [, address] = /Starting to serve on (\S+)/.exec(text) ?? [];
      if (address !== undefined) resolve(`http://${address}`);
    });
  });
}, 120_000);

afterAll(async () => {
  proxy?.kill();
  await helm('uninstall', 'rights', '-n', NAMESPACE).catch(() => '');
  await kubectl('delete', 'namespace', NAMESPACE, WATCHED, '--wait=false');
}, 120_000);

/** As an administrator, or as an account of the chart. */
function asking(account?: string, contentType = 'application/json'): Ask {
  const user = `system:serviceaccount:${NAMESPACE}:rights-parley-${account}`;
  return async (method, at, body) => {
    const answer = await fetch(`${url}${at}`, {
      method,
      headers: {
        'content-type': contentType,
        ...(account !== undefined && { 'impersonate-user': user }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.text() };
  };
}

test.each(ACCOUNTS)(
  '%s may do what the docs list, and nothing else',
  async (account) => {
    const who = { namespace: NAMESPACE, name: `rights-parley-${account}` };
    const allowed = await allowedTo(asking(), who, [WATCHED, NAMESPACE]);
    expect(allowed).toEqual(grantedByDocument()[account]);
    expect(await allowedTo(asking(), who, ['default'])).toEqual([]);
  },
  120_000,
);

test.each(['api', 'delivery'])('%s reaches no Secret by any verb', async (account) => {
  const one = `${SECRETS}/crm-signing`;
  const tries: [string, string, object?, string?][] = [
    ['GET', one],
    ['GET', SECRETS],
    ['GET', '/api/v1/secrets'],
    ['POST', SECRETS, { ...SECRET, metadata: { ...SECRET.metadata, name: 'new-signing' } }],
    ['PUT', one, SECRET],
    ['PATCH', one, {}, 'application/merge-patch+json'],
    ['DELETE', one],
    ['DELETE', SECRETS],
  ];
  for (const [method, at, body, type] of tries) {
    const answer = await asking(account, type)(method, at, body);
    expect([method, at, answer.status]).toEqual([method, at, 403]);
    expect(answer.body).not.toContain(Buffer.from('canary').toString('base64'));
  }
});

test('the operator makes no token, and changes no Secret of somebody else', async () => {
  const operator = asking('operator');
  const token = {
    ...SECRET,
    type: 'kubernetes.io/service-account-token',
    metadata: {
      ...SECRET.metadata,
      name: 'token-signing',
      annotations: { 'kubernetes.io/service-account.name': 'rights-parley-operator' },
    },
  };
  await eventually('the policy is in force', async () => {
    const { status } = await operator('POST', `${SECRETS}?dryRun=All`, token);
    return status === 403;
  });
  await kubectlApply({ ...SECRET, metadata: { name: 'theirs', namespace: WATCHED } });
  const patch = asking('operator', 'application/merge-patch+json');
  const labels = { 'parley.dev/allow': 'true' };
  expect((await patch('PATCH', `${SECRETS}/theirs`, { metadata: { labels } })).status).toBe(403);
  expect((await operator('DELETE', `${SECRETS}/theirs`)).status).toBe(403);
  const own = { stringData: { secret: 'other' } };
  expect((await patch('PATCH', `${SECRETS}/crm-signing`, own)).status).toBe(200);
});
