import { ports } from '@nodewright/contract';
import type { PlannedNode } from './cluster-shape.ts';
import type { StackDocument } from './stack-document.ts';

/** The label with the cluster's folder, on every object of the cluster in the engine. */
export const folderLabel = 'nodewright.folder';

/** The labels of Talos on the objects of a cluster. Source: Talos v1.14: docker provisioner. */
export const talosLabels = {
  owned: 'talos.owned',
  cluster: 'talos.cluster.name',
  type: 'talos.type',
} as const;

export interface StackOwnership {
  /** Absolute path of the cluster's folder. */
  readonly folder: string;
  readonly nodes: readonly PlannedNode[];
  /** The ports on 127.0.0.1 of the nodes' apids, by node name. */
  readonly publishedPorts: Readonly<Record<string, number>>;
}

/**
 * Adds what a provisioned cluster has in addition to compose.yaml: labels of ownership and published ports.
 */
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
