import type { Mutant } from './mutant.ts';

const headers = 'test/webhooks/endpoints/secret-headers.kube.test.ts';
const rotation = 'test/webhooks/endpoints/secret-rotation.kube.test.ts';

/** What is secret about an endpoint (contract §4, §6). */
export const ENDPOINT_MUTANTS: readonly Mutant[] = [
  {
    name: 'secret-not-kept-before-the-declaration',
    why: 'the secret that a create answered signs nothing: each receiver refuses each delivery',
    file: 'src/webhooks/endpoints/write-endpoint.ts',
    find: '  await insertUndeclared(pool, {',
    replace: '  void (await pool.query("select 1")), void ({',
    suite: 'test/webhooks/endpoints/api-webhooks.kube.test.ts',
    test: 'without a body it sends agent.published, signed',
  },
  {
    name: 'secret-never-copied',
    why: 'with the database the secrets of all receivers are lost',
    file: 'src/webhooks/endpoints/find-secrets.ts',
    find: 'if (!isCopied) await deps.store.apply(copy, { fieldManager: API_MANAGER });',
    replace: '',
    suite: headers,
    test: 'a lost database gets secret and headers of REST back',
  },
  {
    name: 'rotation-not-copied',
    why: 'a database that is filled from the Secrets signs with the secret before the last',
    file: 'src/webhooks/endpoints/endpoint-secrets.sql.ts',
    find: 'old_secret_until = to_timestamp($5 / 1000.0), secret_revision = secret_revision + 1',
    replace: 'old_secret_until = to_timestamp($5 / 1000.0)',
    suite: rotation,
    test: 'with no overlap the new one replaces the old one at once',
  },
  {
    name: 'headers-of-rest-not-found-again',
    why: 'after the loss of a database each request lacks its Authorization',
    file: 'src/webhooks/endpoints/signing-secrets.ts',
    find: 'return data[HEADERS] === undefined ? {} : parseHeaders(data[HEADERS]);',
    replace: 'return {};',
    suite: headers,
    test: 'a lost database gets secret and headers of REST back',
  },
  {
    name: 'header-of-another-case-kept',
    why: 'a token that was replaced under another spelling is still sent, and still valid',
    file: 'src/webhooks/endpoints/header-rules.ts',
    find: 'filter(([name]) => !touched.has(name.toLowerCase()))',
    replace: 'filter(([name]) => !touched.has(name))',
    suite: headers,
    test: 'PATCH sets and removes single ones',
  },
  {
    name: 'tag-blind-for-headers',
    why: 'who edits headers by If-Match overwrites what somebody else has just set',
    file: 'src/webhooks/endpoints/endpoint.view.ts',
    find: 'return etagOf({ ...row, revision: row.headerRevision });',
    replace: 'return etagOf(row);',
    suite: headers,
    test: 'the tag moves with each',
  },
  {
    name: 'headers-in-clear-left-in-the-declaration',
    why: 'whoever may read WebhookEndpoints reads the tokens that an earlier release put there',
    file: 'src/webhooks/endpoints/webhook-endpoint.reconciler.ts',
    find: '  await dropDeclaredByRest(deps, endpoint);',
    replace: '',
    suite: headers,
    test: 'what an earlier release declared in clear is sealed',
  },
  {
    name: 'delivered-without-its-headers',
    why: 'an endpoint whose Secret is missing gets requests without the token, and answers 401 to all',
    file: 'src/webhooks/endpoints/webhook-endpoint.reconciler.ts',
    find: "secrets: !missing && 'secrets' in found ? found.secrets : null,",
    replace: "secrets: 'secrets' in found ? found.secrets : null,",
    suite: headers,
    test: 'come from a Secret, without whose label nothing is sent',
  },
];
