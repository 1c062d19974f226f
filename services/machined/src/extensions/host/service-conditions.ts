import { access } from 'node:fs/promises';
import { systemTimers } from '@nodewright/async';
import { serviceIds } from '@nodewright/contract';
import { type Condition, createFileCondition, openResourceCondition } from '@nodewright/services';
import { pointerTo, type State } from '@nodewright/state';
import {
  extensionServiceConfigStatuses,
  type NetworkStatusSpec,
  networkStatuses,
  timeStatuses,
} from '@nodewright/state/kinds';
import type { ExtensionServiceSpec, NetworkPart, ServiceDependency } from '../domain/service-spec.ts';

const readyFields: Readonly<Record<NetworkPart, keyof NetworkStatusSpec>> = {
  addresses: 'addressReady',
  connectivity: 'connectivityReady',
  hostname: 'hostnameReady',
  etcfiles: 'etcFilesReady',
};

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
const fileAt = (path: string) => createFileCondition(path, exists, systemTimers);

/** The services that it depends on. runc needs no containerd, which upstream's services depend on. */
export const neededServices = ({ depends }: ExtensionServiceSpec): string[] =>
  depends.flatMap((one) => (one.kind === 'service' && one.id !== serviceIds.containerd ? [one.id] : []));

/** What it waits for besides services. Resources are watched until `scope` ends. */
export async function openServiceConditions(
  { name, depends, container }: ExtensionServiceSpec,
  state: State,
  scope: AsyncDisposableStack,
): Promise<Condition[]> {
  const opened = await Promise.all(depends.map((one) => openCondition(name, one, state, scope)));
  const file = container.environmentFile === '' ? [] : [fileAt(container.environmentFile)];
  return [...opened.filter((condition) => condition !== undefined), ...file];
}

async function openCondition(
  name: string,
  dependency: ServiceDependency,
  state: State,
  scope: AsyncDisposableStack,
): Promise<Condition | undefined> {
  switch (dependency.kind) {
    case 'service':
      return undefined;
    case 'path':
      return fileAt(dependency.path);
    case 'network':
      return openResourceCondition(
        state,
        {
          pointer: pointerTo(networkStatuses),
          text: 'network',
          isWanted: (status) => dependency.parts.every((part) => status[readyFields[part]] === true),
        },
        scope,
      );
    case 'time':
      return openResourceCondition(
        state,
        { pointer: pointerTo(timeStatuses), text: 'time sync', isWanted: ({ synced }) => synced },
        scope,
      );
    case 'configuration':
      return openResourceCondition(
        state,
        {
          pointer: pointerTo(extensionServiceConfigStatuses, name),
          text: `extension service config ${JSON.stringify(name)}`,
        },
        scope,
      );
  }
}
