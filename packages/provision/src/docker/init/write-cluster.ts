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
import { checkKeptFiles, readIfThere } from './check-kept-files.ts';
import type { StackPlan } from './cluster-plan.ts';

/** The port of the Kubernetes API on control planes. */
const kubernetesPort = 6443;

/**
 * Writes the files with which the nodes of a stack start: `<folder>/admin/secrets.yaml`,
 * `<folder>/admin/talosconfig` and, in `<folder>/nodes/<name>/`, the files of each node's state folder.
 * Existing files are kept, so that a stack is still the same cluster after a restart. A node that was reset
 * gets no new configuration: it waits for one from a client. Resolves to the names of the files that were
 * written.
 *
 * @throws Fault `failed-precondition` when what is left does not fit together, before anything is written
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
  if (first === undefined) throw new Fault('invalid-argument', 'a cluster needs at least one control plane');
  await checkKeptFiles(folder, plan);

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

/** Whether a node has used this state folder before, but its configuration has been removed. */
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
    // These nodes have no install disk, and need no discovery service on a single engine.
    options: { installDisk: '', clusterDiscovery: false },
    patches: documents.map((document) => parsePatch(JSON.stringify(document))),
  });
}
