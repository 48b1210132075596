/**
 * The result of declarations by contract/agents.md#publishing and contract/custom-resources.md#conditions: the model
 * that the fault suite holds the API server and the database against.
 */

export type AgentModel = {
  name: string;
  exists: boolean;
  /** Its row was made: it stays, with its history, when the object goes. */
  hadRow: boolean;
  declared: {
    displayName: string;
    inline: string;
    /** The text of its ConfigMap; undefined: there is none. */
    configMap: string | undefined;
    fromConfigMap: boolean;
    manual: boolean;
    suspended: boolean;
    pin: number | undefined;
  };
  /** The prompt of each version. */
  versions: string[];
  log: Activation[];
  active: number | null;
};

/** One line of the log, and the endpoints its event had to be queued for. */
export type Activation = { line: string; endpoints: string[] };

export type EndpointModel = {
  name: string;
  exists: boolean;
  hadRow: boolean;
  declared: { url: string; description: string; eventTypes: string[]; suspended: boolean };
  /** Learned when it was first seen, or put there by somebody else. */
  secret: string | undefined;
  /** Somebody else declares the Secret too, so it stays when the endpoint goes. */
  secretIsShared: boolean;
};

export type Model = { agents: AgentModel[]; endpoints: EndpointModel[] };

export function newAgent(name: string): AgentModel {
  return {
    name,
    exists: false,
    hadRow: false,
    declared: {
      displayName: name,
      inline: 'one',
      configMap: undefined,
      fromConfigMap: false,
      manual: false,
      suspended: false,
      pin: undefined,
    },
    versions: [],
    log: [],
    active: null,
  };
}

export function newEndpoint(name: string): EndpointModel {
  return {
    name,
    exists: false,
    hadRow: false,
    declared: {
      url: `https://127.0.0.1/${name}`,
      description: '',
      eventTypes: [],
      suspended: false,
    },
    secret: undefined,
    secretIsShared: false,
  };
}

/** Who declares what: a pin has a manager of its own, as with a person on call. */
export const CONTENT_MANAGER = 'kubectl';
export const PIN_MANAGER = 'oncall';

/** The prompt as the operator must have resolved it; undefined: it cannot. */
export function promptOf({ declared }: AgentModel): string | undefined {
  return declared.fromConfigMap ? declared.configMap : declared.inline;
}

/** What has to follow from what is declared of one agent now. */
export function reconcileAgent(model: Model, agent: AgentModel): void {
  if (!agent.exists) return;
  agent.hadRow = true;
  const { declared, versions } = agent;
  if (declared.suspended) return;
  const prompt = promptOf(agent);
  if (prompt !== undefined && !versions.includes(prompt)) versions.push(prompt);
  const wanted = wantedVersion(agent, prompt);
  if (wanted === null || wanted === agent.active) return;
  const action = agent.active !== null && wanted < agent.active ? 'rolled_back' : 'published';
  const isPinned = declared.pin !== undefined;
  const by = isPinned ? PIN_MANAGER : CONTENT_MANAGER;
  agent.log.push({
    line: `${action} ${agent.active}>${wanted} kubernetes:${by}`,
    endpoints: model.endpoints.filter(isSubscribed).map(({ name }) => name),
  });
  agent.active = wanted;
}

function wantedVersion({ declared, versions, active }: AgentModel, prompt: string | undefined) {
  const { pin, manual } = declared;
  if (pin !== undefined) return pin <= versions.length ? pin : active;
  return prompt === undefined || manual ? active : versions.indexOf(prompt) + 1;
}

function isSubscribed({ exists, declared }: EndpointModel): boolean {
  const { eventTypes, suspended } = declared;
  return exists && !suspended && (eventTypes.length === 0 || eventTypes.includes('agent.*'));
}

/** `True Published`: the Ready condition and its reason. */
export function readyOf(agent: AgentModel): string {
  const { declared, versions, active } = agent;
  if (promptOf(agent) === undefined) return 'False ConfigMapNotFound';
  if (declared.suspended) return 'False Suspended';
  if (declared.pin !== undefined && declared.pin > versions.length) return 'False VersionNotFound';
  return active === null ? 'True NotPublished' : 'True Published';
}
