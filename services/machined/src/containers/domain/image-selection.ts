// The image namespace that a call selects. Source: Talos v1.14: ImageService.
import type { NamespaceName } from '@nodewright/containers';
import { Fault } from '@nodewright/fault';
import { containerDrivers } from '../../base/domain/container-drivers.ts';

/** Values of the wire enum `ContainerdNamespace`. */
const namespaces: Readonly<Record<number, NamespaceName>> = { 1: 'system', 2: 'k8s.io' };
const kubernetes = 2;

/** Returns the namespace with this number. @throws Fault `invalid-argument` for an unknown number */
export function imageNamespace(namespace: number): NamespaceName {
  const found = namespaces[namespace];
  if (found === undefined) throw new Fault('invalid-argument', `unsupported namespace "${namespace}"`);
  return found;
}

/** Returns the namespace that a call selects. @throws Fault `invalid-argument` for an invalid combination */
export function imageNamespaceOf(
  instance: { readonly driver: number; readonly namespace: number } | undefined,
): NamespaceName {
  if (instance === undefined) throw new Fault('invalid-argument', 'containerd instance is required');
  const { driver, namespace } = instance;
  if (driver !== containerDrivers.containerd && driver !== containerDrivers.cri)
    throw new Fault('invalid-argument', `unsupported driver "${driver}"`);
  if (driver === containerDrivers.containerd && namespace === kubernetes)
    throw new Fault('invalid-argument', 'cannot use CRI namespace with containerd driver');
  return imageNamespace(namespace);
}
