import { readFileSync } from 'node:fs';
import path from 'node:path';
import { kubectl, kubectlApply, run } from './kubectl.ts';

/**
 * Pods of the test's own, of Parley's image since it has Node: a receiver, and a toolbox from which
 * the API is called by its Service, as other programs of the cluster would.
 */

const RESTRICTED = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  runAsUser: 65532,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

export type Received = { headers: Record<string, string>; body: string };

export async function startPods(namespace: string, image: string): Promise<void> {
  await kubectlApply(pod('receiver', { namespace, image, program: source('receiver.mjs') }));
  await kubectlApply({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'receiver', namespace },
    spec: { selector: { app: 'receiver' }, ports: [{ port: 8080 }] },
  });
  await kubectlApply(pod('toolbox', { namespace, image, program: 'setInterval(() => {}, 1e6)' }));
  await kubectl('-n', namespace, 'wait', '--for=condition=Ready', 'pod/receiver', 'pod/toolbox');
}

/** Where endpoints may be sent to: an http URL must name a literal address. */
export async function receiverUrl(namespace: string): Promise<string> {
  const jsonPath = 'jsonpath={.spec.clusterIP}';
  const address = await kubectl('-n', namespace, 'get', 'service', 'receiver', '-o', jsonPath);
  return `http://${address}:8080/`;
}

/** Runs a module in the toolbox; resolves to what it printed. */
export function inToolbox(
  namespace: string,
  program: string,
  env: Record<string, string | number> = {},
): Promise<string> {
  const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const command = ['env', ...settings, 'node', '--input-type=module', '-'];
  return run('kubectl', ['-n', namespace, 'exec', '-i', 'toolbox', '--', ...command], program);
}

export function source(name: string): string {
  return readFileSync(path.join(import.meta.dirname, 'pods', name), 'utf8');
}

export async function received(namespace: string): Promise<Received[]> {
  const url = await receiverUrl(namespace);
  const program = `console.log(await (await fetch('${url}')).text())`;
  return JSON.parse(await inToolbox(namespace, program)) as Received[]; // receiver.mjs made it.
}

function pod(
  name: string,
  { namespace, image, program }: { namespace: string; image: string; program: string },
) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app: name } },
    spec: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name,
          image,
          imagePullPolicy: 'IfNotPresent',
          command: ['node', '--input-type=module', '--eval', program],
          securityContext: RESTRICTED,
        },
      ],
    },
  };
}
