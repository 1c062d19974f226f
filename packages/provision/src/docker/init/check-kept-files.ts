// Whether what is left of a cluster still fits together, before anything is written.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Membership } from '@nodewright/contract/gen/suite/runtime/v1/runtime.ts';
import { Fault } from '@nodewright/fault';
import type { StackPlan } from './cluster-plan.ts';

const startAnew = 'remove the volumes ("docker compose down --volumes") for a new cluster';

/**
 * Checks the files that are kept. A new authority beside nodes of an old one, or old addresses in a new network, would make a stack that
 * starts and that no client and no neighbour can reach.
 *
 * @throws Fault `failed-precondition` that says what to do
 */
export async function checkKeptFiles(folder: string, { nodes }: StackPlan): Promise<void> {
  const secrets = await contentOf(folder, 'admin/secrets.yaml');
  await contentOf(folder, 'admin/talosconfig');
  const addresses = new Map(nodes.map(({ name, address }) => [name, address]));
  for (const { name } of nodes) {
    const config = await contentOf(folder, `nodes/${name}/config.yaml`);
    if (config !== undefined && secrets === undefined)
      throw new Fault(
        'failed-precondition',
        `the volume "admin" has no secrets, but the volume of ${name} has the configuration of a cluster, which only these secrets fit: put the files of` +
          ' the volume back from a copy, or remove the volumes of all nodes ("docker compose down --volumes") for a new cluster',
      );
    const members = `nodes/${name}/members.json`;
    for (const { hostname, addresses: known } of membersOf(members, await contentOf(folder, members))) {
      const address = addresses.get(hostname);
      if (address === undefined || known.includes(address)) continue;
      throw new Fault(
        'failed-precondition',
        `${hostname} has the address ${known} in the files of this cluster, but ${address} in the network of the stack: give the stack its former network` +
          ` again, or ${startAnew}`,
      );
    }
  }
}

function membersOf(name: string, text: string | undefined): Membership['members'] {
  if (text === undefined) return [];
  try {
    return Membership.fromJSON(JSON.parse(text)).members;
  } catch (error) {
    throw new Fault('failed-precondition', `${name} is no list of members: ${startAnew}`, { cause: error });
  }
}

/** The content of a file; undefined when it does not exist. */
async function contentOf(folder: string, name: string): Promise<string | undefined> {
  const text = await readIfThere(join(folder, name));
  if (text?.trim() !== '') return text;
  throw new Fault(
    'failed-precondition',
    `${name} is empty: remove this file from the volume of its folder, or put it back from a copy, and start the stack again`,
  );
}

export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
