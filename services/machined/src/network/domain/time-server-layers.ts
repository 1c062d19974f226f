import type { EffectiveConfig } from '@nodewright/machine-config';
import type { TimeServerSpecSpec } from '@nodewright/state/kinds';
import { defaultTimeServer } from '../../base/domain/default-time-server.ts';

/**
 * The layers of the node itself. Talos asks its default server with NTS. Here that would be nobody, because NTS is not
 * implemented, so the default has it only when the configuration insists. Source: Talos v1.14: network defaults, time
 * server; TimeSyncConfig.
 */
export function timeServerLayers(config: Pick<EffectiveConfig, 'time'> | undefined): TimeServerSpecSpec[] {
  const { servers = [], useNTS = false } = config?.time ?? {};
  const specs: TimeServerSpecSpec[] = [{ timeServers: [defaultTimeServer], useNTS, layer: 'default' }];
  if (servers.length > 0) specs.push({ timeServers: [...servers], useNTS, layer: 'configuration' });
  return specs;
}
