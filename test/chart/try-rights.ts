import { z } from 'zod';

/** What an account may do, by asking the API server's authorizer. */

/** Sends a JSON request as an administrator. */
export type Ask = (
  method: string,
  path: string,
  body?: object,
) => Promise<{ status: number; body: string }>;

const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
const AT_ONCE = 20;

const resourceList = z.object({ resources: z.array(z.object({ name: z.string() })) });
const groupList = z.object({
  groups: z.array(z.object({ preferredVersion: z.object({ groupVersion: z.string() }) })),
});
const review = z.object({ status: z.object({ allowed: z.boolean() }) });
const rule = z.object({
  verbs: z.array(z.string()),
  apiGroups: z.array(z.string()),
  resources: z.array(z.string()),
  resourceNames: z.array(z.string()).default([]),
});
const rulesReview = z.object({
  status: z.object({ incomplete: z.literal(false), resourceRules: z.array(rule) }),
});

/** `group/resource` of all that the server serves, subresources too. */
async function discover(ask: Ask): Promise<string[]> {
  const read = async (path: string): Promise<unknown> => JSON.parse((await ask('GET', path)).body);
  const { groups } = groupList.parse(await read('/apis'));
  const versions = groups.map(({ preferredVersion }) => preferredVersion.groupVersion);
  const lists = await Promise.all(
    ['', ...versions].map(async (version) => {
      const { resources } = resourceList.parse(
        await read(version === '' ? '/api/v1' : `/apis/${version}`),
      );
      const group = version.split('/')[0]!;
      return resources.map(({ name }) => `${group}/${name}`);
    }),
  );
  return lists.flat();
}

/** The rights that Kubernetes grants to every authenticated user. */
const OF_EVERYBODY = [
  'create authentication.k8s.io/selfsubjectreviews',
  'create authorization.k8s.io/selfsubjectaccessreviews',
  'create authorization.k8s.io/selfsubjectrulesreviews',
];

/**
 * `verb group/resource` of all that an account may do in one of the namespaces, sorted: by the rules that the API server
 * applies to it, in one request for each namespace.
 *
 * @param asAccount sends a request with a token of the account
 */
export async function rulesOf(
  ask: Ask,
  asAccount: Ask,
  namespaces: readonly string[],
): Promise<string[]> {
  const all = await discover(ask);
  const allowed = new Set<string>();
  for (const namespace of namespaces) {
    const { body } = await asAccount('POST', RULES_REVIEWS, {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectRulesReview',
      spec: { namespace },
    });
    const { resourceRules } = rulesReview.parse(JSON.parse(body)).status;
    for (const granted of resourceRules.flatMap((one) => grantedBy(one, all))) allowed.add(granted);
  }
  for (const granted of OF_EVERYBODY) {
    if (!allowed.delete(granted)) throw new Error(`not even granted: ${granted}`);
  }
  return [...allowed].toSorted();
}

const RULES_REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';

function grantedBy(one: z.infer<typeof rule>, all: readonly string[]): string[] {
  if (one.resourceNames.length > 0) return []; // Nothing of the kind as a whole.
  const covers = (list: readonly string[], item: string): boolean =>
    list.includes('*') || list.includes(item);
  return all.flatMap((resource) => {
    const [, group, kind] = /^([^/]*)\/(.*)$/.exec(resource)!;
    const ofAnyKind = kind!.replace(/^[^/]*\//, '*/'); // `*/status`
    const isCovered = [kind!, ofAnyKind].some((name) => covers(one.resources, name));
    if (!isCovered || !covers(one.apiGroups, group!)) return [];
    return VERBS.filter((verb) => covers(one.verbs, verb)).map((verb) => `${verb} ${resource}`);
  });
}

/** The same by asking about each verb on each kind: some ten thousand requests. */
export async function allowedTo(
  ask: Ask,
  account: { namespace: string; name: string },
  namespaces: readonly string[],
): Promise<string[]> {
  const all = await discover(ask);
  const user = `system:serviceaccount:${account.namespace}:${account.name}`;
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`];
  const questions = namespaces.flatMap((namespace) =>
    all.flatMap((resource) => VERBS.map((verb) => ({ namespace, resource, verb }))),
  );
  const allowed = new Set<string>();
  const next = questions.values();
  const worker = async (): Promise<void> => {
    for (const { namespace, resource, verb } of next) {
      const [, group, kind, subresource] = /^([^/]*)\/([^/]*)\/?(.*)$/.exec(resource)!;
      const { body } = await ask('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: {
          user,
          groups,
          resourceAttributes: { namespace, verb, group, resource: kind, subresource },
        },
      });
      if (review.parse(JSON.parse(body)).status.allowed) allowed.add(`${verb} ${resource}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return [...allowed].toSorted();
}
