import type { Credentials } from '../wire/raw-connection.ts';

/** The certificates of the run, by what their holder may do. */
export const certificateKinds = [
  'no-role',
  'unknown-role',
  'reader',
  'operator',
  'etcd-backup',
  'image-verifier',
  'meta-writer',
  'impersonator',
  'admin',
  'foreign-admin',
  'expired-admin',
  'server-admin',
] as const;
export type CertificateKind = (typeof certificateKinds)[number];

export interface TargetNode {
  readonly name: string;
  readonly address: string;
  /** The folder that serves as the node's root file system. */
  readonly root: string;
}

/** The image cache of the control plane. */
export interface RegistryTarget {
  readonly address: string;
  /** The unix socket of its management. */
  readonly socket: string;
  /** The folder of the images that it has pulled. */
  readonly cache: string;
  readonly registry: string;
  /** It has a tag v1 and this blob on the disk of the node. */
  readonly repository: string;
  readonly blob: string;
  /** Size of the blob. */
  readonly bytes: number;
  /** A blob for which the registry sends other content. */
  readonly wrongBlob: string;
}

/** What the attacker and the other client know about the cluster. It is passed between processes as JSON. */
export interface AttackTarget {
  /** The only control plane, through which all calls go. */
  readonly entry: TargetNode;
  /** A worker behind it. */
  readonly behind: TargetNode;
  /** PEM. */
  readonly ca: string;
  readonly certificates: Readonly<Record<CertificateKind, Credentials>>;
  /** Certificates of one operator, issued repeatedly, each with a key of its own. */
  readonly reissued: readonly Credentials[];
  /** Another holder of the role, with a key of its own: the client that the attacks must not affect. */
  readonly bystander: Credentials;
  /** The token with which workers request their certificate from trustd. */
  readonly token: string;
  /** Address of a node in maintenance. */
  readonly maintenance: string;
  readonly registry: RegistryTarget;
}
