import type { Command } from 'commander';
import { commandPath } from '../context/command-path.ts';
import * as names from './asked-names.ts';
import * as lists from './closed-lists.ts';
import { files, free, type ValueSource } from './value-source.ts';

const contexts: ValueSource = { kind: 'dynamic', find: names.contextNames };
const clusterNodes: ValueSource = { kind: 'dynamic', find: names.clusterNodeNames };
const nodePaths: ValueSource = { kind: 'dynamic', find: names.pathsOnNode };
const services: ValueSource = { kind: 'dynamic', find: names.serviceNames };

/** The candidates for the arguments of each command, in order. A test checks that every argument has an entry. */
const argumentValues: Readonly<Record<string, readonly ValueSource[]>> = {
  'apply-config': [lists.applyKinds],
  'cluster create': [lists.provisionerChoices],
  'cluster join': [clusterNodes],
  'cluster logs': [clusterNodes],
  'cluster start': [clusterNodes],
  'cluster stop': [clusterNodes],
  completion: [lists.shellNames],
  'config add': [free],
  'config context': [contexts],
  'config endpoint': [{ kind: 'dynamic', find: names.endpointNames }],
  'config merge': [files],
  'config new': [files],
  'config node': [{ kind: 'dynamic', find: names.nodeNames }],
  'config proxy-url': [lists.proxyUrls],
  'config remove': [contexts],
  copy: [nodePaths, files],
  diskfree: [{ kind: 'dynamic', find: names.idsOf('volumestatuses') }],
  edit: [lists.changeableKinds, free],
  'etcd downgrade enable': [free],
  'etcd downgrade validate': [free],
  'etcd remove-member': [free],
  'etcd snapshot': [files],
  'gen config': [free, free],
  'gen secureboot': [free],
  get: [
    { kind: 'dynamic', find: names.resourceKinds },
    { kind: 'dynamic', find: names.idsOfKindBefore },
  ],
  'extensions install': [files],
  'image import': [files],
  'image pull': [free],
  'image remove': [free],
  kubeconfig: [files],
  list: [nodePaths],
  logs: [services],
  'machineconfig convert': [files],
  'machineconfig diff': [files, files],
  'machineconfig gen': [free, free],
  'machineconfig patch': [files],
  'meta delete': [free],
  'meta write': [free, free],
  // Candidates would be pods, which need a call to the container runtime: none are offered.
  netstat: [free],
  patch: [lists.changeableKinds, free],
  read: [nodePaths],
  'registry pull': [free],
  'registry remove': [free],
  replay: [files],
  restart: [free],
  service: [services, lists.serviceActions],
  upgrade: [lists.rolloutTasks],
  usage: [nodePaths],
  'wipe disk': [{ kind: 'dynamic', find: names.idsOf('discoveredvolumes') }],
};

/**
 * The candidates for an argument; `undefined` for an index after the last argument.
 *
 * @param index the position of the word, from 0; the last argument may take several words
 */
export function argumentSource(command: Command, index: number): ValueSource | undefined {
  const declared = command.registeredArguments;
  const at = declared.at(-1)?.variadic ? Math.min(index, declared.length - 1) : index;
  const path = commandPath(command);
  return Object.hasOwn(argumentValues, path) ? argumentValues[path]?.[at] : undefined;
}
