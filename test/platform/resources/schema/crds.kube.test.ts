import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import { KINDS } from '../../../../src/roles/kinds.ts';
import { isRecord } from '../../../../src/platform/resources/schema/prepare.ts';
import { createValidator } from '../../../../src/platform/resources/schema/validate.ts';
import { pluralOf, PLURALS, readCorpus, readText, storedSpec } from './corpus.ts';
import type { CorpusEntry } from './corpus.ts';
import type { KubeResponse } from '../../kubernetes/kube-apiserver.ts';
import { borrowKube, type Kube } from '../../kubernetes/kube.ts';
import { findKubeBinaries } from '../../kubernetes/kube-binaries.ts';
import { mutationsOf } from '../../../random/mutations.ts';

/** The CRDs in the real API server, and our own validator compared with its verdicts. */

const binaries = await findKubeBinaries();
/** Takes about two seconds. A larger number finds more differences. */
const RANDOM_RUNS = Number(process.env['RANDOM_RUNS'] ?? 300);
const validate = createValidator(KINDS);
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function path(plural: string): string {
  return `/apis/parley.dev/v1alpha1/namespaces/default/${plural}`;
}

(binaries ? describe : describe.skip)('the CRDs in kube-apiserver', () => {
  let kube: Kube;

  beforeAll(async () => {
    kube = await borrowKube();
  }, 120_000);

  afterAll(async () => kube?.stop());

  /** Creates an entry. An unknown kind has no address and is refused for that. */
  function create({ text, kind }: CorpusEntry, options: string): Promise<KubeResponse> {
    const plural = pluralOf(kind) ?? `${kind.toLowerCase()}s`;
    const query = `?fieldValidation=Strict${options}`;
    return kube.request('POST', path(plural) + query, text, 'application/yaml');
  }

  test.each(PLURALS)('%s are established and structural', async (plural) => {
    const crd = (await kube.request('GET', `${CRDS}/${plural}.parley.dev`)).json();
    const status = isRecord(crd['status']) ? crd['status'] : {};
    const conditions = Array.isArray(status['conditions']) ? status['conditions'] : [];
    const types = conditions.map((condition) => `${condition.type}=${condition.status}`);
    expect(types.sort()).toEqual(['Established=True', 'NamesAccepted=True']);
  });

  test.each([
    [
      'agents',
      {
        prompt: 'p',
        escalation: {
          hours: { timeZone: 'UTC', open: [{ days: ['mon'], from: '08:00', to: '9:00' }] },
        },
      },
      'spec.escalation.hours.open[0].to',
      'must be a time from 00:00 to 24:00, such as 09:30',
    ],
    [
      'agents',
      { prompt: 'p', widget: { allowedOrigins: ['example.com/'] } },
      'spec.widget.allowedOrigins[0]',
      'must be an origin as browsers send it',
    ],
    ['agents', { prompt: 'p', language: 'german!' }, 'spec.language', 'must be'],
    ['webhookendpoints', { url: 'ftp://x' }, 'spec.url', 'must be an http or https URL in ASCII'],
    [
      'webhookendpoints',
      { url: 'https://x.example/', headers: { a: 'ü' } },
      'spec.headers[a]',
      'must be one line of visible ASCII',
    ],
    [
      'modelproviders',
      { baseUrl: 'https://x.example/v1?a=b' },
      'spec.baseUrl',
      'must be an http or https URL in ASCII',
    ],
    [
      'knowledgesources',
      { type: 'website', website: { url: 'https://x.example/' }, schedule: 'daily' },
      'spec.schedule',
      'must be',
    ],
  ])('a wrong value of %s is refused in words: %j', async (plural, spec, field, words) => {
    const kind = KINDS.find((one) => pluralOf(one.kind) === plural)?.kind;
    const object = { apiVersion: 'parley.dev/v1alpha1', kind, metadata: { name: 'w' }, spec };
    const answer = await kube.request(
      'POST',
      path(plural),
      JSON.stringify(object),
      'application/json',
    );
    const { details } = answer.json() as {
      details: { causes: { field: string; message: string }[] };
    };
    expect(details.causes).toEqual([
      { reason: 'FieldValueInvalid', field, message: expect.stringContaining(words) },
    ]);
    expect(details.causes[0]!.message).not.toContain('should match');
  });

  test.each(['a.b', 'a'.repeat(64)])(
    'the rule of names points to the metadata: %s',
    async (name) => {
      const object = {
        apiVersion: 'parley.dev/v1alpha1',
        kind: 'Agent',
        metadata: { name },
        spec: { prompt: 'p' },
      };
      const answer = await kube.request(
        'POST',
        path('agents'),
        JSON.stringify(object),
        'application/json',
      );
      expect(answer.json()['details']).toMatchObject({
        causes: [{ field: 'metadata', message: expect.stringContaining('must be a DNS label') }],
      });
    },
  );

  test('a new object has not been observed', async () => {
    const entry = readCorpus('good').find(({ name }) => name === 'agent-smallest')!;
    expect((await create(entry, '&dryRun=All')).json()['status']).toEqual({
      observedGeneration: -1,
    });
  });

  test('an object can be selected by its fields', async () => {
    const url = `${path('webhookendpoints')}?fieldSelector=spec.suspend%3Dtrue`;
    expect((await kube.request('GET', url)).status).toBe(200);
    const bad = `${path('webhookendpoints')}?fieldSelector=spec.description%3Dx`;
    expect((await kube.request('GET', bad)).status).toBe(400);
  });

  test.each(readCorpus('good'))('$name: both accept it, with the same defaults', async (entry) => {
    const answer = await create(entry, '&dryRun=All');
    expect({ status: answer.status, body: answer.status === 201 ? '' : answer.body }).toEqual({
      status: 201,
      body: '',
    });
    const read = readText(entry.text);
    if (!('applied' in read)) throw new Error(read.fields.join());
    expect(storedSpec(read.applied)).toEqual(answer.json()['spec']);
  });

  test.each(readCorpus('bad'))('$name: both refuse it', async (entry) => {
    // Not a dry run, because the size limit is etcd's, which answers 500.
    const { status, body } = await create(entry, '');
    const tooLarge = status === 500 && body.includes('request is too large');
    // Malformed, unknown field, unknown kind, too large, or invalid. A 409 must not count as a refusal.
    expect([400, 404, 413, 422]).toContain(tooLarge ? 413 : status);
    expect(readText(entry.text)).toHaveProperty('fields');
  });

  test.each(['agent-full', 'endpoint-full', 'source-full'])(
    '%s, changed at random: one verdict',
    async (name) => {
      const { text } = readCorpus('good').find((entry) => entry.name === name)!;
      const read = readText(text);
      if (!('applied' in read)) throw new Error(read.fields.join());
      const { kind, name: objectName, namespace, spec } = read.applied;
      const metadata = { name: objectName, namespace };
      const plural = pluralOf(kind)!;
      const query = '?dryRun=All&fieldValidation=Strict';
      await fc.assert(
        fc.asyncProperty(mutationsOf(spec), async (changed) => {
          const object = { apiVersion: 'parley.dev/v1alpha1', kind, metadata, spec: changed };
          const answer = await kube.request('POST', path(plural) + query, object);
          const valid = validate(kind, changed, metadata);
          const theirs = answer.status === 201 ? answer.json()['spec'] : 'refused';
          expect({ body: answer.body, spec: 'spec' in valid ? valid.spec : 'refused' }).toEqual({
            body: answer.body,
            spec: theirs,
          });
        }),
        { numRuns: RANDOM_RUNS },
      );
    },
  );
});
