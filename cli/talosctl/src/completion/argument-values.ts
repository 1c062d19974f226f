import type { Command } from 'commander';
import { commandPath } from '../node-selection/command-path.ts';
import * as names from './asked-names.ts';
import * as lists from './closed-lists.ts';
import { files, free, type ValueSource } from './value-source.ts';

const contexts: ValueSource = { kind: 'asked', ask: names.contextNames };
const clusterNodes: ValueSource = { kind: 'asked', ask: names.clusterNodeNames };
const nodePaths: ValueSource = { kind: 'asked', ask: names.pathsOnNode };
const services: ValueSource = { kind: 'asked', ask: names.serviceNames };

/** What the arguments of each command are, in their order. A test asks for an entry for every argument. */
const argumentValues: Readonly<Record<string, readonly ValueSource[]>> = {
  'apply-config': [lists.applyKinds],
  'cluster create': [lists.provisionerChoices],
  'cluster logs': [clusterNodes],
  'cluster start': [clusterNodes],
  'cluster stop': [clusterNodes],
  completion: [lists.shellNames],
  'config add': [free],
  'config context': [contexts],
  'config endpoint': [{ kind: 'asked', ask: names.endpointNames }],
  'config merge': [files],
  'config new': [files],
  'config node': [{ kind: 'asked', ask: names.nodeNames }],
  'config proxy-url': [lists.proxyUrls],
  'config remove': [contexts],
  copy: [nodePaths, files],
  diskfree: [{ kind: 'asked', ask: names.idsOf('volumestatuses') }],
  edit: [lists.changeableKinds, free],
  'etcd downgrade enable': [free],
  'etcd downgrade validate': [free],
  'etcd remove-member': [free],
  'etcd snapshot': [files],
  'gen config': [free, free],
  'gen secureboot': [free],
  get: [
    { kind: 'asked', ask: names.resourceKinds },
    { kind: 'asked', ask: names.idsOfKindBefore },
  ],
  'image import': [files],
  'image pull': [free],
  'image remove': [free],
  list: [nodePaths],
  logs: [services],
  'machineconfig gen': [free, free],
  'machineconfig patch': [files],
  'meta delete': [free],
  'meta write': [free, free],
  // Only the container runtime could list pods, and it has a command of its own.
  netstat: [free],
  patch: [lists.changeableKinds, free],
  read: [nodePaths],
  restart: [free],
  service: [services, lists.serviceActions],
  usage: [nodePaths],
};

/**
 * What an argument is: undefined for one that nobody has described, and behind the last one.
 *
 * @param index from 0; the last argument of a command may take several words
 */
export function argumentSource(command: Command, index: number): ValueSource | undefined {
  const declared = command.registeredArguments;
  const at = declared.at(-1)?.variadic ? Math.min(index, declared.length - 1) : index;
  const path = commandPath(command);
  return Object.hasOwn(argumentValues, path) ? argumentValues[path]?.[at] : undefined;
}
