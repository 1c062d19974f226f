import { Fault } from '@nodewright/fault';
import type { ArtefactDescription, ArtefactFile, Edition } from './artefact-description.ts';
import { compareVersions, minorOf } from './version-order.ts';

/** What a node is: a machine with slots on its disk, a group of processes, or one container. */
export const nodeKinds = ['machine', 'process', 'container'] as const;
export type NodeKind = (typeof nodeKinds)[number];

/**
 * Files without which a node of the kind cannot get the system of an artefact. It may have others besides, such as GRUB, which machines of
 * x86-64 alone have.
 */
export const neededFiles: Readonly<Record<NodeKind, readonly string[]>> = {
  machine: [
    'machine/vmlinuz',
    'machine/initramfs',
    'machine/rootfs.squashfs',
    'machine/rootfs.verity',
    // The command line names the slot, and it is part of the unified kernel, which is signed: so there is one for each.
    ...['A', 'B'].flatMap((slot) =>
      ['cmdline', 'entry.cfg', 'nodewright.efi'].map((name) => `machine/${slot}/${name}`),
    ),
    'machine/loader/systemd-boot.efi',
    'machine/loader/loader.conf',
  ],
  process: ['machined', 'apid', 'trustd', 'registryd', 'udevd-bridge', 'process-supervisor'].map(
    (name) => `process/bundles/${name}/${name}.cjs`,
  ),
  container: ['container/node-image.tar'],
};

/** The files of an artefact for a kind of node. */
export const filesFor = (kind: NodeKind, { layers }: ArtefactDescription): readonly ArtefactFile[] =>
  layers.flat().filter(({ path }) => path.startsWith(`${kind}/`));

/** The node that an artefact is for. */
export interface UpgradeTarget {
  readonly nodeKind: NodeKind;
  readonly edition: Edition;
  /** The version that it runs. Undefined: it has no system yet. */
  readonly version?: string;
  /** Of the etcd that wrote the data of this node. Undefined: it has none. */
  readonly etcdVersion?: string;
  readonly allowsDowngrade: boolean;
}

/**
 * Decides whether a node may get the system of an artefact.
 *
 * @throws Fault `failed-precondition` with one line that says what does not fit, and what to do where that is known
 */
export function checkTarget(description: ArtefactDescription, target: UpgradeTarget): void {
  const reason = reasonAgainst(description, target);
  if (reason !== undefined) throw new Fault('failed-precondition', reason);
}

function reasonAgainst(
  description: ArtefactDescription,
  { nodeKind, edition, version, etcdVersion, allowsDowngrade }: UpgradeTarget,
): string | undefined {
  if (description.edition !== edition)
    return `the artefact is ${editionTexts[description.edition]}, and this node is ${editionTexts[edition]}`;
  const paths = new Set(description.layers.flat().map(({ path }) => path));
  const missing = neededFiles[nodeKind].find((path) => !paths.has(path));
  if (missing !== undefined)
    return `the artefact has no files for a node of the kind ${nodeKind}: it lacks ${missing}`;
  if (version !== undefined) {
    if (compareVersions(version, description.lowestVersion) < 0)
      return `this node has ${version}, which is too old for ${description.version}: upgrade to ${description.lowestVersion} first`;
    if (compareVersions(description.version, version) < 0 && !allowsDowngrade)
      return `the artefact has ${description.version}, which is older than ${version} of this node: --allow-downgrade permits that`;
  }
  if (etcdVersion !== undefined && minorOf(etcdVersion) !== minorOf(description.etcdVersion))
    return `the artefact has etcd ${description.etcdVersion}, which does not start with the data of etcd ${minorOf(etcdVersion)} on this node`;
  return undefined;
}

const editionTexts: Readonly<Record<Edition, string>> = {
  plain: 'one without Kubernetes',
  kubernetes: 'one with Kubernetes',
};
