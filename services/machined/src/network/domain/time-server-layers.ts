import type { EffectiveConfig } from '@nodewright/machine-config';
import type { TimeServerSpecSpec } from '@nodewright/state/kinds';

/** The layers of the node itself. Source: Talos v1.14: network defaults, time server; TimeSyncConfig. */
export function timeServerLayers(config: Pick<EffectiveConfig, 'time'> | undefined): TimeServerSpecSpec[] {
  const specs: TimeServerSpecSpec[] = [
    { timeServers: ['time.cloudflare.com'], useNTS: true, layer: 'default' },
  ];
  const { servers = [], useNTS = false } = config?.time ?? {};
  if (servers.length > 0) specs.push({ timeServers: [...servers], useNTS, layer: 'configuration' });
  return specs;
}
