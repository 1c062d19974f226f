import type { Credentials } from '../wire/raw-connection.ts';

/** Certificates of the run, by what their holder may do. */
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
  /** The folder that stands for the node's root file system. */
  readonly root: string;
}

/** What an attacker and the client beside it know of the cluster. It crosses processes as JSON. */
export interface AttackTarget {
  /** The one control plane, through which all calls go. */
  readonly entry: TargetNode;
  /** A worker behind it. */
  readonly behind: TargetNode;
  /** PEM. */
  readonly ca: string;
  readonly certificates: Readonly<Record<CertificateKind, Credentials>>;
  /** Certificates of one operator who had them issued again and again, each with a key of its own. */
  readonly reissued: readonly Credentials[];
  /** A second holder of the role, with a key of its own: the client that must not notice anything. */
  readonly bystander: Credentials;
  /** With which workers ask trustd for their certificate. */
  readonly token: string;
  /** Address of a node that waits for its configuration. */
  readonly maintenance: string;
}
