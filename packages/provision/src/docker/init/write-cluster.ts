import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '@nodewright/fault';
import {
  decodeSecrets,
  encodeSecrets,
  generateConfig,
  generateSecrets,
  generateTalosconfig,
  parsePatch,
  type SecretsBundle,
} from '@nodewright/machine-config';
import { membersFile } from '../../cluster/members-file.ts';
import { writePrivateFile } from '../../cluster/write-private-file.ts';
import type { PlannedNode } from '../../domain/cluster-shape.ts';
import type { StackPlan } from './cluster-plan.ts';

/** The API of Kubernetes on control planes. */
const kubernetesPort = 6443;

/**
 * Makes what the nodes of a stack start from: `<folder>/admin/secrets.yaml`, `<folder>/admin/talosconfig` and, below
 * `<folder>/nodes/<name>/`, what each finds in its state folder. What is there already stays, so that a stack that is
 * stopped and started again is the same cluster; a node that was reset waits for a configuration from somebody else. Yields the names of the files that were made.
 */
export async function writeCluster(folder: string, plan: StackPlan, now: () => Date): Promise<string[]> {
  const made: string[] = [];
  const make = async (name: string, content: () => string | Promise<string>) => {
    const path = join(folder, name);
    const there = await readIfThere(path);
    if (there !== undefined) return there;
    const text = await content();
    await writePrivateFile(path, text);
    made.push(name);
    return text;
  };
  const [first] = plan.nodes;
  if (first === undefined) throw new Fault('invalid-argument', 'a cluster needs a control plane');

  const secrets = decodeSecrets(
    await make('admin/secrets.yaml', async () => encodeSecrets(await generateSecrets({ now: now() }))),
  );
  const controlPlanes = plan.nodes.filter(({ type }) => type === 'controlplane');
  await make('admin/talosconfig', () =>
    generateTalosconfig({
      clusterName: plan.name,
      endpoints: controlPlanes.map(({ address }) => address),
      secrets,
      now: now(),
    }),
  );
  for (const node of plan.nodes) {
    if (await wasReset(join(folder, 'nodes', node.name))) continue;
    await make(`nodes/${node.name}/config.yaml`, () => nodeConfig(plan, node, first, secrets));
    await make(`nodes/${node.name}/members.json`, () => membersFile(plan.nodes));
  }
  return made;
}

/** Whether a node has lived on this state folder, and has no configuration there any more. */
async function wasReset(state: string): Promise<boolean> {
  const has = async (name: string) => (await readIfThere(join(state, name))) !== undefined;
  if (await has('config.yaml')) return false;
  return (await has('node-identity.yaml')) || (await has('.wipe'));
}

function nodeConfig(plan: StackPlan, node: PlannedNode, first: PlannedNode, secrets: SecretsBundle): string {
  const documents = [
    { apiVersion: 'v1alpha1', kind: 'HostnameConfig', auto: 'off', hostname: node.name },
    ...(plan.timeServer === undefined
      ? []
      : [{ apiVersion: 'v1alpha1', kind: 'TimeSyncConfig', ntp: { servers: [plan.timeServer] } }]),
    ...(plan.certSans.length === 0 ? [] : [{ machine: { certSANs: plan.certSans } }]),
  ];
  return generateConfig({
    secrets,
    clusterName: plan.name,
    endpoint: `https://${first.address}:${kubernetesPort}`,
    type: node.type,
    // There is no disk to install to, and nobody outside of this engine who could know the nodes.
    options: { installDisk: '', clusterDiscovery: false },
    patches: documents.map((document) => parsePatch(JSON.stringify(document))),
  });
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
