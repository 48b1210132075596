import * as fc from 'fast-check';

/**
 * Random transitions of one agent, and its expected status after each one according to contract/agents.md#publishing
 * and contract/custom-resources.md#conditions: the live version, the number of versions, and the problems. NAME stands
 * for the agent's name, so that each agent has its own Secrets and ConfigMap.
 */

const PRIVATE_URL = 'http://10.1.2.3/';
const tool = fc.record(
  {
    type: fc.constant('webhook'),
    name: fc.constantFrom('look_up', 'cancel'),
    url: fc.constantFrom('https://example.com/', 'https://example.org/x', PRIVATE_URL),
    secretRef: fc.constantFrom(
      { name: 'NAME-allowed', key: 'key' },
      { name: 'NAME-allowed', key: 'other' },
      { name: 'NAME-forbidden', key: 'key' },
      { name: 'NAME-missing', key: 'key' },
    ),
  },
  { requiredKeys: ['type', 'name', 'url'] },
);
const TEXTS = ['one', 'two', 'three'];
const configMapKeyRef = fc.record({
  name: fc.constantFrom('NAME-text', 'NAME-text', 'NAME-missing'),
  key: fc.constantFrom('text', 'text', 'text', 'other'),
});

const spec = fc
  .record(
    {
      prompt: fc.constantFrom(...TEXTS),
      promptFrom: fc.record({ configMapKeyRef }),
      fromConfigMap: fc.nat({ max: 3 }),
      tools: fc.uniqueArray(tool, { maxLength: 2, selector: ({ name }) => name }),
      voice: fc.record({ speed: fc.constantFrom(0.5, 1, 2) }),
      publishPolicy: fc.constantFrom('Automatic', 'Automatic', 'Automatic', 'Manual'),
      pinnedVersion: fc.integer({ min: 1, max: 6 }),
      suspend: fc.nat({ max: 9 }).map((n) => n === 0),
      displayName: fc.constantFrom('Life', 'Leben', '命'),
    },
    { requiredKeys: ['prompt', 'promptFrom', 'fromConfigMap', 'suspend', 'publishPolicy'] },
  )
  .chain(({ prompt, promptFrom, fromConfigMap, pinnedVersion, tools, ...rest }) =>
    fc
      .record({ pinned: fc.nat({ max: 3 }), tooled: fc.nat({ max: 1 }) })
      .map(({ pinned, tooled }): Spec => ({
        ...rest,
        ...(fromConfigMap === 0 ? { promptFrom } : { prompt }),
        ...(pinned === 0 && pinnedVersion !== undefined && { pinnedVersion }),
        ...(tooled === 0 && tools !== undefined && { tools }),
      })),
  );

type Tool = { name: string; url: string; secretRef?: { name: string; key: string } };
type Spec = {
  prompt?: string;
  promptFrom?: { configMapKeyRef: { name: string; key: string } };
  tools?: Tool[];
  voice?: { speed: number };
  publishPolicy: string;
  pinnedVersion?: number;
  suspend: boolean;
  displayName?: string;
};

/** Change to the agent's spec or to its ConfigMap. Null deletes the ConfigMap. */
export type Transition = { spec: Spec } | { configMap: string | null };

export const transitions: fc.Arbitrary<Transition> = fc.oneof(
  { weight: 5, arbitrary: spec.map((declared) => ({ spec: declared })) },
  { weight: 1, arbitrary: fc.record({ configMap: fc.constantFrom(...TEXTS, null) }) },
);

export type Life = {
  name: string;
  spec: Spec | undefined;
  configMap: string | null;
  /** Content of each version, as text. */
  versions: string[];
  active: number | null;
};

export function newLife(name: string): Life {
  return { name, spec: undefined, configMap: null, versions: [], active: null };
}

/** Applies the declaration to the model, as the operator must apply it. */
export function reconcile(life: Life): void {
  const declared = life.spec!;
  if (declared.suspend) return;
  const pin = declared.pinnedVersion;
  const blocked = problemsOf(life).length > 0;
  const content = contentOf(life);
  if (!blocked && !life.versions.includes(content)) life.versions.push(content);
  if (pin !== undefined) {
    if (pin <= life.versions.length) life.active = pin;
  } else if (!blocked && declared.publishPolicy === 'Automatic') {
    life.active = life.versions.indexOf(content) + 1;
  }
}

/** Returns the expected status without messages. If there are several problems, the operator may report any of them. */
export function statusOf(life: Life) {
  const declared = life.spec!;
  const problems = problemsOf(life);
  const count = life.versions.length;
  const isUnknown = declared.pinnedVersion !== undefined && declared.pinnedVersion > count;
  // Problems are reported instead of the pin.
  const isSettled = problems.length === 0 && !declared.suspend;
  const pinned = declared.pinnedVersion === undefined ? null : isUnknown ? 'False' : 'True';
  return {
    rest: {
      activeVersion: life.active,
      latestVersion: count > 0 ? count : null,
      pinned: isSettled ? pinned : null,
      isHeld: problems.length > 0 || (isSettled && isUnknown),
    },
    ready: readyOf(life, problems, isUnknown),
  };
}

function readyOf(life: Life, problems: string[], isUnknown: boolean): string[] {
  if (problems.length > 0) return problems.map((reason) => `False ${reason}`);
  if (life.spec!.suspend) return ['False Suspended'];
  if (isUnknown) return ['False VersionNotFound'];
  return life.active === null ? ['True NotPublished'] : ['True Published', 'True RolledBack'];
}

function problemsOf({ spec: declared, configMap }: Life): string[] {
  const { tools = [], promptFrom } = declared!;
  const ofTools = tools.flatMap(({ url, secretRef }) => [
    ...(url === PRIVATE_URL ? ['InvalidUrl'] : []),
    ...(secretRef ? secretProblem(secretRef) : []),
  ]);
  if (!promptFrom) return ofTools;
  const { name, key } = promptFrom.configMapKeyRef;
  if (name.endsWith('missing') || configMap === null) return [...ofTools, 'ConfigMapNotFound'];
  return key === 'text' ? ofTools : [...ofTools, 'KeyNotFound'];
}

function secretProblem({ name, key }: { name: string; key: string }): string[] {
  if (name.endsWith('missing')) return ['SecretNotFound'];
  if (name.endsWith('forbidden')) return ['SecretNotAllowed'];
  return key === 'key' ? [] : ['KeyNotFound'];
}

/** Returns the content that a version consists of. For a prompt, only its text matters and not its source. */
function contentOf({ spec: declared, configMap }: Life): string {
  const { prompt, promptFrom, tools, voice } = declared!;
  const text = promptFrom ? configMap : prompt;
  // A missing list of tools counts as the same content as an empty list.
  const some = tools && tools.length > 0 ? tools : undefined;
  const sorted = some?.map((one) => Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify({ text, tools: sorted, voice });
}
