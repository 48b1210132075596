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

/** What runs in it, and with which variables. */
type Program = { program: string; env?: Record<string, string> };

export async function startPods(namespace: string): Promise<void> {
  await startPod('receiver', namespace, { program: source('receiver.mjs') });
  await kubectlApply({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'receiver', namespace },
    spec: { selector: { app: 'receiver' }, ports: [{ port: 8080 }] },
  });
  await startPod('toolbox', namespace, { program: 'setInterval(() => {}, 1e6)' });
}

/** Resolves when it runs. Its label `app` is its name. */
export async function startPod(name: string, namespace: string, what: Program): Promise<void> {
  await kubectlApply(pod(name, namespace, what));
  await kubectl('-n', namespace, 'wait', '--for=condition=Ready', `pod/${name}`, '--timeout=60s');
}

/** Where endpoints are sent: the host that `egressAllow` names in release.ts. */
export const receiverUrl = (namespace: string): string => `http://receiver.${namespace}.svc:8080/`;

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
  const program = `console.log(await (await fetch('${receiverUrl(namespace)}')).text())`;
  return JSON.parse(await inToolbox(namespace, program)) as Received[]; // receiver.mjs made it.
}

function pod(name: string, namespace: string, { program, env = {} }: Program) {
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
          image: process.env['PARLEY_E2E_IMAGE'],
          imagePullPolicy: 'IfNotPresent',
          command: ['node', '--input-type=module', '--eval', program],
          env: Object.entries(env).map(([variable, value]) => ({ name: variable, value })),
          securityContext: RESTRICTED,
        },
      ],
    },
  };
}
