import { kubernetesVersionProblem } from '../../forms/image-reference.ts';
import type { CheckedDocument } from '../checked-document.ts';
import { checkCluster } from './check-cluster.ts';
import { checkInstall } from './check-install.ts';
import { checkInterfaces } from './check-interfaces.ts';
import { checkMachine } from './check-machine.ts';
import { checkPemFields } from './check-pem-fields.ts';
import { checkControlPlane, checkWorker } from './check-type.ts';

export interface LegacyOptions {
  /** Whether to check `machine.install`. */
  readonly needsInstall: boolean;
  /** Skips the checks of image versions. */
  readonly local?: boolean;
}

/** Checks the v1alpha1 document. Source: Talos v1.14: machine configuration, legacy document rules. */
export function checkLegacyDocument(legacy: CheckedDocument, options: LegacyOptions): void {
  if (!legacy.has('machine')) {
    legacy.refuse('is required', 'machine');
    return;
  }
  const type = legacy.text('machine', 'type');
  const isControlPlane = type === 'init' || type === 'controlplane';
  if (legacy.has('cluster')) checkCluster(legacy, isControlPlane);
  else legacy.refuse('is required', 'cluster');
  if (legacy.boolean('persist') === false) legacy.refuse('must not be false', 'persist');
  checkType(legacy, type);
  if (isControlPlane) checkControlPlane(legacy);
  else if (['worker', 'join', ''].includes(type)) checkWorker(legacy);
  if (options.needsInstall && legacy.has('machine', 'install')) checkInstall(legacy);
  checkMachine(legacy, isControlPlane);
  checkInterfaces(legacy);
  checkPemFields(legacy);
  if (!options.local) checkVersions(legacy, isControlPlane);
}

function checkType(legacy: CheckedDocument, type: string): void {
  if (type === 'join' || type === '') legacy.warn('should be "worker"', 'machine', 'type');
  else if (!['init', 'controlplane', 'worker'].includes(type))
    legacy.refuse('must be "controlplane" or "worker"', 'machine', 'type');
  if (legacy.text('machine', 'ca', 'crt') === '' && legacy.items('machine', 'acceptedCAs').length === 0)
    legacy.refuse('is required, or one of acceptedCAs', 'machine', 'ca');
}

function checkVersions(legacy: CheckedDocument, isControlPlane: boolean): void {
  const components = isControlPlane ? ['apiServer', 'controllerManager', 'scheduler'] : [];
  for (const path of [['machine', 'kubelet'], ...components.map((name) => ['cluster', name])]) {
    const image = legacy.text(...path, 'image');
    const problem = image === '' ? undefined : kubernetesVersionProblem(image);
    if (problem !== undefined) legacy.refuse(problem, ...path, 'image');
  }
}
