import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { findHelm, renderText } from './helm.ts';
import { findKubeBinaries } from '../platform/kubernetes/kube-binaries.ts';
import { kubeconfigOf, startKube, type OwnKube } from '../platform/kubernetes/kube.ts';
import { until as untilSo } from '../until.ts';
import { startRoles, type Parley } from '../roles/parley-process.ts';
import { createTestDatabase } from '../platform/postgres/postgres.ts';

/**
 * What the chart lets each role do is what the role does, no less and no more: both run as
 * processes with a token of their service account under RBAC, do everything they can, and the API
 * server's audit log is held against the rules that granted it.
 */

const binaries = await findKubeBinaries();
const helm = await findHelm();
const RELEASE = { release: 'parley', namespace: 'parley-system' };

type Rule = { apiGroups: string[]; resources: string[]; verbs: string[] };
type Rendered = {
  kind: string;
  apiVersion: string;
  metadata: { name: string; namespace?: string };
  rules?: Rule[];
};

(binaries && helm ? describe : describe.skip)('RBAC of the chart', () => {
  let kube: OwnKube;
  let parley: Parley;
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let folder: string;
  let rendered: Rendered[];

  beforeAll(async () => {
    kube = await startKube({ rbac: true, audit: true });
    database = await createTestDatabase();
    folder = await mkdtemp(path.join(tmpdir(), 'parley-rbac-'));
    rendered = parseAllDocuments(await renderText(helm!, {}, RELEASE))
      .map((document) => document.toJS() as Rendered | null) // The chart's own objects.
      .filter((object) => object !== null)
      .filter(({ kind }) =>
        /^(Cluster)?Role(Binding)?$|^ServiceAccount$|^ValidatingAdmission/.test(kind),
      );
    await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: RELEASE.namespace } });
    for (const object of rendered) await create(object);
    const accounts = rendered.filter(({ kind }) => kind === 'ServiceAccount');
    const nameOf = (role: string) =>
      accounts.find(({ metadata }) => metadata.name.endsWith(role))!.metadata.name;
    parley = await startRoles({
      databaseUrl: database.url,
      env: { PARLEY_STORE: 'kubernetes' },
      envOf: {
        operator: { KUBECONFIG: await kubeconfigFor(nameOf('operator')) },
        api: { KUBECONFIG: await kubeconfigFor(nameOf('api')) },
      },
    });
  }, 120_000);

  afterAll(async () => {
    await parley?.stop();
    await database?.drop();
    await kube?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function create(object: Rendered): Promise<void> {
    const { apiVersion, kind, metadata } = object;
    const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
    const place = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
    const { status, body } = await kube.request(
      'POST',
      `${root}${place}/${kind.toLowerCase()}s`.replace(/ys$/, 'ies'),
      object,
    );
    if (status !== 201) throw new Error(`${kind} ${metadata.name}: ${body}`);
  }

  /** A kubeconfig with a token that the API server made for the service account. */
  async function kubeconfigFor(account: string): Promise<string> {
    const answer = await kube.request(
      'POST',
      `/api/v1/namespaces/${RELEASE.namespace}/serviceaccounts/${account}/token`,
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: [] } },
    );
    const { token } = answer.json()['status'] as { token: string };
    const file = path.join(folder, account);
    await writeFile(
      file,
      kubeconfigOf({ ...kube, token }).replace(
        /namespace: default/,
        `namespace: ${RELEASE.namespace}`,
      ),
    );
    return file;
  }

  /** `verb group/resource`, one for each a rule grants. */
  function grantedTo(role: string): string[] {
    const rules = rendered
      .filter(({ kind, metadata }) => kind.endsWith('Role') && metadata.name.includes(`-${role}`))
      .flatMap((object) => object.rules ?? []);
    const each = rules.flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => `${verb} ${group}/${resource}`)),
      ),
    );
    return [...new Set(each)].sort();
  }

  function usedBy(role: string): string[] {
    const requests = kube
      .auditLog()
      .filter(({ user }) => user.username.startsWith('system:serviceaccount:'))
      .filter(({ user }) => user.username.endsWith(role));
    const used = requests.flatMap(({ verb, objectRef }) => {
      if (!objectRef) return [];
      const { apiGroup = '', resource = '', subresource } = objectRef;
      return [`${verb} ${apiGroup}/${resource}${subresource ? `/${subresource}` : ''}`];
    });
    return [...new Set(used)].sort();
  }

  /** The API server has no signal for what others did. */
  const until = (what: () => Promise<boolean>): Promise<true> =>
    untilSo(() => `${String(what)}\n${parley.output()}`, what);

  /** Declares by REST, and waits for an operator that is slow; returns its path. */
  async function declared(route: string, json: object): Promise<string> {
    const { status, body } = await parley.call('POST', route, json);
    expect([201, 202]).toContain(status);
    const one = `${route}/${body.id}`;
    await until(async () => (await parley.call('GET', one)).status === 200);
    return one;
  }

  async function changed(one: string, json: object): Promise<void> {
    expect([200, 202]).toContain((await parley.call('PATCH', one, json)).status);
  }

  /** Everything that makes either role ask the API server for something new. */
  async function doEverything(): Promise<void> {
    const { call } = parley;
    const agent = await declared('/v1/agents', { name: 'rest', prompt: 'one' });
    await until(async () => (await call('GET', agent)).body.ready === true);
    await changed(agent, { prompt: 'two' });
    await until(async () => (await call('POST', `${agent}/rollback`, {})).status === 200);
    await call('DELETE', agent);
    const hook = await declared('/v1/webhooks', { url: 'https://example.com/' });
    await changed(hook, { enabled: false });
    await call('DELETE', hook);
    const text = { type: 'text', text: 'We open at nine.' };
    const source = await declared('/v1/knowledge/sources', text);
    await changed(source, { text: 'We open at ten.' });
    await call('DELETE', source);
    // Nobody answers there; only what is asked of the API server counts.
    const models = { base_url: 'https://models.invalid/v1' };
    const provider = await declared('/v1/model_providers', models);
    await changed(provider, { metadata: { a: 'b' } });
    await call('DELETE', provider);
    const carrier = await declared('/v1/telephony_providers', {
      type: 'twilio',
      account_id: 'AC1',
      auth_token_secret_ref: { name: 'nowhere', key: 'token' },
    });
    await changed(carrier, { metadata: { a: 'b' } });
    await call('DELETE', carrier);
    // An endpoint that is refused takes its Secret with it.
    const bad = { url: 'https://example.com/', headers: { Host: 'x' } };
    await call('POST', '/v1/webhooks', bad);

    const parleyKind = (kind: string, name: string, spec: object) =>
      kube.kubectlApply({ apiVersion: 'parley.dev/v1alpha1', kind, metadata: { name }, spec });
    const ready = async (kind: string, name: string): Promise<boolean> => {
      const plural = `${kind.toLowerCase()}s`;
      const { body } = await kube.request(
        'GET',
        `/apis/parley.dev/v1alpha1/namespaces/default/${plural}/${name}`,
      );
      return /"type":"Ready"[^}]*/.test(body) && /"status":"True","type":"Ready"/.test(body);
    };
    await parleyKind('KnowledgeSource', 'git', text);
    await until(() => ready('KnowledgeSource', 'git'));
    const promptFrom = { configMapKeyRef: { name: 'prompt', key: 'text' } };
    await parleyKind('Agent', 'git', { promptFrom });
    await kube.kubectlApply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'prompt' },
      data: { text: 'hello' },
    });
    await until(() => ready('Agent', 'git'));
    await parleyKind('WebhookEndpoint', 'git', {
      url: 'https://example.com/',
      generateSecret: true,
    });
    await until(() => ready('WebhookEndpoint', 'git'));
    await parleyKind('ModelProvider', 'git', { baseUrl: 'https://models.invalid/v1' });
    const asked = '/apis/parley.dev/v1alpha1/namespaces/default/modelproviders/git';
    await until(async () => (await kube.request('GET', asked)).body.includes('"providerId":"mp_'));
    await parleyKind('TelephonyProvider', 'git', {
      type: 'twilio',
      accountId: 'AC1',
      authTokenSecretRef: { name: 'nowhere', key: 'token' },
    });
    const bound = '/apis/parley.dev/v1alpha1/namespaces/default/telephonyproviders/git';
    await until(async () => (await kube.request('GET', bound)).body.includes('"providerId":"tp_'));
    const git = '/apis/parley.dev/v1alpha1/namespaces/default/webhookendpoints/git';
    await kube.request('DELETE', git);
    await until(async () => {
      const { status } = await kube.request(
        'GET',
        '/api/v1/namespaces/default/secrets/git-signing',
      );
      return status === 404;
    });
    // The same thing again and again becomes one Event that is counted.
    for (const suspend of [true, false, true, false]) {
      await parleyKind('Agent', 'git', { promptFrom, suspend });
      await until(async () => (await ready('Agent', 'git')) !== suspend);
    }
  }

  /** Somebody touches the Lease, so that the leader has to look at it again. */
  async function touchLease(): Promise<void> {
    const lease = `/apis/coordination.k8s.io/v1/namespaces/${RELEASE.namespace}/leases/parley-operator`;
    const patch = { metadata: { annotations: { touched: 'true' } } };
    await kube.request('PATCH', lease, patch, 'application/merge-patch+json');
    await until(async () => usedBy('operator').includes('get coordination.k8s.io/leases'));
  }

  test('a tenant cannot have the operator read another namespace', async () => {
    const metadata = { name: 'tenant' };
    await create({ apiVersion: 'v1', kind: 'Namespace', metadata });
    await kube.kubectlApply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'theirs', labels: { 'parley.dev/allow': 'true' } },
      stringData: { key: `whsec_${Buffer.alloc(32).toString('base64')}` },
    });
    const place = { name: 'mine', namespace: 'tenant' };
    const secretRef = { name: 'theirs', key: 'key' };
    await kube.kubectlApply({
      apiVersion: 'parley.dev/v1alpha1',
      kind: 'WebhookEndpoint',
      metadata: place,
      spec: { url: 'https://example.com/', secretRef },
    });
    const mine = '/apis/parley.dev/v1alpha1/namespaces/tenant/webhookendpoints/mine';
    await until(async () => /SecretNotFound/.test((await kube.request('GET', mine)).body));
    // Neither by a path in the name nor by a field that is not there.
    for (const spec of [
      { url: 'https://example.com/', secretRef: { name: '../default/theirs', key: 'key' } },
      { url: 'https://example.com/', secretRef: { ...secretRef, namespace: 'default' } },
    ]) {
      const body = {
        apiVersion: 'parley.dev/v1alpha1',
        kind: 'WebhookEndpoint',
        metadata: { name: 'x' },
        spec,
      };
      const url =
        '/apis/parley.dev/v1alpha1/namespaces/tenant/webhookendpoints?fieldValidation=Strict';
      expect((await kube.request('POST', url, body)).status).toBeGreaterThanOrEqual(400);
    }
    const reads = kube
      .auditLog()
      .filter(
        ({ verb, user, objectRef }) =>
          verb === 'get' && user.username.endsWith('operator') && objectRef?.name === 'theirs',
      );
    expect(new Set(reads.map(({ objectRef }) => objectRef?.namespace))).toEqual(
      new Set(['tenant']),
    );
  });

  test('grants each role the verbs it uses, and no other', async () => {
    await doEverything();
    await touchLease();
    const refused = kube
      .auditLog()
      .filter(({ user }) => user.username.startsWith('system:serviceaccount:'))
      .filter(({ responseStatus }) => responseStatus?.code === 403);
    expect(refused.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
    await parley.stop(); // What is done on the way out counts too.
    for (const role of ['operator', 'api']) {
      // A patch that makes the object needs `create` too; the log shows the one.
      const used = usedBy(role);
      const created = grantedTo(role).filter(
        (verb) => verb.startsWith('create ') && used.includes(verb.replace('create', 'patch')),
      );
      expect([...new Set([...used, ...created])].sort()).toEqual(grantedTo(role));
    }
  }, 60_000);
});
