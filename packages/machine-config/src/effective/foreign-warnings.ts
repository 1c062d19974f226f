import { quotedName } from '../forms/quoted-name.ts';
import type { EffectiveConfig } from './effective-config.ts';

/** The settings that say which cluster a node belongs to, and what it does there. */
export type NodeIdentity = Pick<EffectiveConfig, 'machineType' | 'cluster'>;

/**
 * Warnings about a configuration that was made for another cluster, or for a machine of the other type, than
 * the active one. It is not refused, because moving a node needs exactly this. The IDs are not shown: they
 * give access to the records of the discovery service.
 */
export function foreignWarnings(active: NodeIdentity, next: NodeIdentity): string[] {
  const warnings: string[] = [];
  if (isOtherCluster(active.cluster, next.cluster)) {
    const name = next.cluster.name;
    const which = name === '' || name === active.cluster.name ? '' : ` ${quotedName(name)}`;
    warnings.push(`this configuration is of another cluster${which} than the active one`);
  }
  const [from, to] = [typeOf(active), typeOf(next)];
  if (from !== undefined && to !== undefined && from !== to) {
    warnings.push(`this configuration is for a ${to}, and the active one for a ${from}`);
  }
  return warnings;
}

/** Compares the IDs, or the names where an ID is missing. */
function isOtherCluster(active: NodeIdentity['cluster'], next: NodeIdentity['cluster']): boolean {
  if (active.id !== '' && next.id !== '') return active.id !== next.id;
  return active.name !== '' && next.name !== '' && active.name !== next.name;
}

function typeOf({ machineType }: NodeIdentity): 'control plane' | 'worker' | undefined {
  if (machineType === 'unknown') return undefined;
  return machineType === 'worker' ? 'worker' : 'control plane';
}
