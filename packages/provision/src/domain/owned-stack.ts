import { ports } from '@nodewright/contract';
import type { PlannedNode } from './cluster-shape.ts';
import type { StackDocument } from './stack-document.ts';

/** On everything in the engine that belongs to a cluster: the folder of that cluster. */
export const folderLabel = 'nodewright.folder';

/** Labels that Talos puts on what belongs to a cluster. Source: Talos v1.14: docker provisioner. */
export const talosLabels = {
  owned: 'talos.owned',
  cluster: 'talos.cluster.name',
  type: 'talos.type',
} as const;

export interface StackOwnership {
  /** The cluster's folder, absolute. */
  readonly folder: string;
  readonly nodes: readonly PlannedNode[];
  /** Where this host reaches the apid of a node, on 127.0.0.1, by node. */
  readonly publishedPorts: Readonly<Record<string, number>>;
}

/** All that a cluster of the provisioner has beyond compose.yaml: labels that say whose it is, and published ports. */
export function ownedStack(document: StackDocument, ownership: StackOwnership): StackDocument {
  const own = {
    [folderLabel]: ownership.folder,
    [talosLabels.owned]: 'true',
    [talosLabels.cluster]: document.name,
  };
  const services = Object.entries(document.services).map(([name, service]) => {
    const node = ownership.nodes.find((planned) => planned.name === name);
    const port = ownership.publishedPorts[name];
    return [
      name,
      {
        ...service,
        labels: {
          ...(service.labels as object | undefined),
          ...own,
          ...(node === undefined ? {} : { [talosLabels.type]: node.type }),
        },
        ...(port === undefined ? {} : { ports: [`127.0.0.1:${port}:${ports.apid}`] }),
      },
    ] as const;
  });
  const labelled = (objects: Readonly<Record<string, object | null>>) =>
    Object.fromEntries(Object.entries(objects).map(([name, value]) => [name, { ...value, labels: own }]));
  return {
    ...document,
    services: Object.fromEntries(services),
    networks: labelled(document.networks),
    volumes: labelled(document.volumes),
  };
}
