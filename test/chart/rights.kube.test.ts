import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findKubeBinaries } from '../platform/kubernetes/kube-binaries.ts';
import { kubeRequester } from '../platform/kubernetes/kube-apiserver.ts';
import { startKube, type OwnKube } from '../platform/kubernetes/kube.ts';
import { IS_NIGHTLY } from '../nightly.ts';
import { until } from '../until.ts';
import { ACCOUNTS, grantedByChart, grantedByDocument } from './granted.ts';
import { findHelm } from './helm.ts';
import { NAMESPACE, renderChart, type KubeObject } from './rendered.ts';
import { scenario } from './scenarios.ts';
import { allowedTo, rulesOf } from './try-rights.ts';

/** As each service account of the chart, on a real API server with its roles and its policy. */

const binaries = await findKubeBinaries();
const helm = await findHelm();
const WATCHED = 'team-a';
const ELSEWHERE = 'elsewhere';
const SECRETS = `/api/v1/namespaces/${WATCHED}/secrets`;
const ALLOW = { 'parley.dev/allow': 'true' };

(binaries && helm ? describe : describe.skip)('rights in the cluster', () => {
  let kube: OwnKube;
  let objects: KubeObject[];
  const as: Record<string, OwnKube['request']> = {};

  beforeAll(async () => {
    kube = await startKube({ rbac: true });
    objects = await renderChart(helm!, scenario('namespaced'));
    for (const name of [NAMESPACE, WATCHED, 'team-b', ELSEWHERE]) await kube.makeNamespace(name);
    const kinds =
      /^(Cluster)?Role(Binding)?$|^ServiceAccount$|^ValidatingAdmissionPolicy(Binding)?$/;
    await Promise.all(objects.filter(({ kind }) => kinds.test(kind)).map(create));
    for (const account of ACCOUNTS) as[account] = await requestsOf(account);
    // A policy is in force a moment after it is there.
    const probe = secret('probe', {});
    await until('the policy', async () => {
      const { status } = await as['operator']!('POST', `${SECRETS}?dryRun=All`, probe);
      return status === 403;
    });
  }, 120_000);

  afterAll(() => kube?.stop());

  async function create(object: KubeObject): Promise<void> {
    const { apiVersion, kind, metadata } = object;
    const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
    const place = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
    const plural = `${kind.toLowerCase()}s`.replace(/ys$/, 'ies');
    const { status, body } = await kube.request('POST', `${root}${place}/${plural}`, object);
    if (status !== 201) throw new Error(`${kind} ${metadata.name}: ${body}`);
  }

  const nameOf = (account: string): string => `demo-parley-${account}`;

  /** With a token that the API server made for the account. */
  async function requestsOf(account: string): Promise<OwnKube['request']> {
    const path = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${nameOf(account)}/token`;
    const answer = await kube.request('POST', path, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { audiences: [] },
    });
    const { token } = answer.json()['status'] as { token: string };
    return kubeRequester({ ...kube, token });
  }

  function secret(name: string, labels: Record<string, string>, type = 'Opaque') {
    const annotations =
      type === 'Opaque' ? {} : { 'kubernetes.io/service-account.name': nameOf('operator') };
    return {
      apiVersion: 'v1',
      kind: 'Secret',
      type,
      metadata: { name, namespace: WATCHED, labels, annotations },
      stringData: { secret: 'canary' },
    };
  }

  const given = (one: ReturnType<typeof secret>) =>
    kube.request(
      'PATCH',
      `${SECRETS}/${one.metadata.name}?fieldManager=kubectl&force=true`,
      one,
      'application/apply-patch+yaml',
    );

  test('are what the docs list, and what the chart grants', async () => {
    const documented = grantedByDocument();
    expect(documented['operator']!.length).toBeGreaterThan(20);
    expect(grantedByChart(objects)).toEqual(documented);
    expect(grantedByChart(await renderChart(helm!))).toEqual(documented);
  });

  test.each(ACCOUNTS)(
    'of %s: every verb on every kind is refused but for those',
    async (account) => {
      const who = { namespace: NAMESPACE, name: nameOf(account) };
      const documented = grantedByDocument()[account]!;
      for (const allowed of [
        (namespaces: string[]) => rulesOf(kube.request, as[account]!, namespaces),
        ...(IS_NIGHTLY ? [allowedTo.bind(undefined, kube.request, who)] : []),
      ]) {
        expect(await allowed([WATCHED, NAMESPACE])).toEqual(documented);
        expect(await allowed([ELSEWHERE])).toEqual([]);
      }
    },
    60_000,
  );

  test.each(['api', 'delivery'])('%s reaches no Secret by any verb', async (account) => {
    await given(secret('crm-signing', ALLOW));
    const merge = 'application/merge-patch+json';
    const one = `${SECRETS}/crm-signing`;
    const tries: [string, string, object?, string?][] = [
      ['GET', one],
      ['GET', SECRETS],
      ['GET', `${SECRETS}?watch=true&timeoutSeconds=1`],
      ['GET', '/api/v1/secrets'],
      ['POST', SECRETS, secret('made-signing', ALLOW)],
      ['POST', SECRETS, secret('token', ALLOW, 'kubernetes.io/service-account-token')],
      ['PUT', one, secret('crm-signing', ALLOW)],
      ['PATCH', one, {}, merge],
      [
        'PATCH',
        `${one}?fieldManager=a`,
        secret('crm-signing', ALLOW),
        'application/apply-patch+yaml',
      ],
      ['DELETE', one],
      ['DELETE', SECRETS],
      ['POST', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${nameOf('operator')}/token`, {}],
    ];
    for (const [method, path, body, type] of tries) {
      const answer = await as[account]!(method, path, body, type);
      expect([method, path, answer.status]).toEqual([method, path, 403]);
      expect(answer.body).not.toContain('canary');
      expect(answer.body).not.toContain(Buffer.from('canary').toString('base64'));
    }
  });

  test('the operator writes the Secrets of endpoints and model providers, and no other', async () => {
    const operator = as['operator']!;
    const apply = (one: ReturnType<typeof secret>) =>
      operator(
        'PATCH',
        `${SECRETS}/${one.metadata.name}?fieldManager=parley-operator&force=true`,
        one,
        'application/apply-patch+yaml',
      );
    const status = async (answer: Promise<{ status: number }>) => (await answer).status;

    expect(await status(apply(secret('own-signing', ALLOW)))).toBe(201);
    expect(
      await status(apply({ ...secret('own-signing', ALLOW), stringData: { secret: 'b' } })),
    ).toBe(200);
    for (const refused of [
      secret('own-signing', {}),
      secret('own-signing', { 'parley.dev/allow': 'false' }),
      secret('new-signing', {}),
      secret('new', ALLOW),
      secret(`mp-${'0'.repeat(26)}-key`, {}),
      secret(`mp-${'0'.repeat(25)}-key`, ALLOW),
      secret(`a-mp-${'0'.repeat(26)}-key`, ALLOW),
      secret('token-signing', ALLOW, 'kubernetes.io/service-account-token'),
    ]) {
      const answer = await apply(refused);
      expect([refused.metadata.name, answer.status]).toEqual([refused.metadata.name, 403]);
    }
    for (const prefix of ['agt', 'mp', 'tp']) {
      const own = secret(`${prefix}-${'0'.repeat(26)}-key`, ALLOW);
      expect(await status(apply(own))).toBe(201);
      expect(await status(operator('DELETE', `${SECRETS}/${own.metadata.name}`))).toBe(200);
    }
    await given(secret('theirs', ALLOW));
    await given(secret('unlabelled-signing', {}));
    for (const name of ['theirs', 'unlabelled-signing']) {
      expect(await status(apply(secret(name, ALLOW)))).toBe(403);
      expect(await status(operator('DELETE', `${SECRETS}/${name}`))).toBe(403);
    }
    expect(await status(operator('DELETE', `${SECRETS}/own-signing`))).toBe(200);
    expect(await status(operator('GET', `/api/v1/namespaces/${ELSEWHERE}/secrets`))).toBe(403);
    // Whoever is not the operator is not held by its policy.
    expect((await kube.request('POST', SECRETS, secret('anybody', {}))).status).toBe(201);
  });
});
