/**
 * Model of the expected result of declarations according to contract/agents.md#publishing and
 * contract/custom-resources.md#conditions. The fault tests compare the API server and the database with this model.
 */

export type AgentModel = {
  name: string;
  exists: boolean;
  /** Whether its row was created. The row and its history remain after the object is deleted. */
  hadRow: boolean;
  declared: {
    displayName: string;
    inline: string;
    /** Text of the ConfigMap, or undefined if there is none. */
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

/** Entry of the log, and the endpoints for which its event must be queued. */
export type Activation = { line: string; endpoints: string[] };

export type EndpointModel = {
  name: string;
  exists: boolean;
  hadRow: boolean;
  declared: { url: string; description: string; eventTypes: string[]; suspended: boolean };
  /** Secret that was read when the endpoint was first seen, or that another person has set. */
  secret: string | undefined;
  /** Whether another field manager declares the Secret too. In that case, it remains after the endpoint is deleted. */
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

/** Field managers. A pin has its own manager, as if a person on call had set it. */
export const CONTENT_MANAGER = 'kubectl';
export const PIN_MANAGER = 'oncall';

/** Returns the prompt that the operator must resolve, or undefined if it cannot resolve one. */
export function promptOf({ declared }: AgentModel): string | undefined {
  return declared.fromConfigMap ? declared.configMap : declared.inline;
}

/** Applies the current declaration of one agent to the model. */
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

/** Returns the status and reason of the Ready condition, such as `True Published`. */
export function readyOf(agent: AgentModel): string {
  const { declared, versions, active } = agent;
  if (promptOf(agent) === undefined) return 'False ConfigMapNotFound';
  if (declared.suspended) return 'False Suspended';
  if (declared.pin !== undefined && declared.pin > versions.length) return 'False VersionNotFound';
  return active === null ? 'True NotPublished' : 'True Published';
}
