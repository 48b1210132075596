/** Shows an actor (contract/agents.md#activations): `session:Ana`, `api:key_…`, `kubernetes:argocd`, `file`. */
export function Actor({ actor }: { actor: string }) {
  return <span title={actor}>{actorText(actor)}</span>;
}

export function actorText(actor: string): string {
  const at = actor.indexOf(':');
  const [kind, rest] = at < 0 ? [actor, ''] : [actor.slice(0, at), actor.slice(at + 1)];
  if (kind === 'session') return rest;
  if (kind === 'api') return rest === '' ? 'an API key' : `API key …${rest.slice(-6)}`;
  if (kind === 'kubernetes') return `Kubernetes (${rest})`;
  if (kind === 'file') return 'a manifest file';
  if (kind === 'cli') return 'the command line';
  return kind === 'environment' ? 'the environment' : actor;
}
