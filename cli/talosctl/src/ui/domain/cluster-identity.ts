import { createHash } from 'node:crypto';

interface IdentifiedCluster {
  readonly context: string;
  readonly cluster: string;
  /** The certificates of the authority that signs those of nodes, as the talosconfig has them. */
  readonly ca: string | undefined;
}

/** A text that is the same whenever a program serves the same cluster, by which an open page notices another one. */
export function clusterIdentity({ context, cluster, ca = '' }: IdentifiedCluster): string {
  const text = JSON.stringify([context, cluster, ca]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
