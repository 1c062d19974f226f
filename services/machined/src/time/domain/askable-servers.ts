import type { EffectiveConfig } from '@nodewright/machine-config';
import { defaultTimeServer } from '../../base/domain/default-time-server.ts';

/** Time servers, and whether their answers must be authenticated. */
export interface ServerChoice {
  readonly servers: readonly string[];
  readonly useNTS: boolean;
}

/**
 * The servers that a node can ask. Those with NTS are not asked at all, because an answer without authentication is
 * not what was wanted; clock devices, which are paths, cannot be read.
 */
export function askableServers({ servers, useNTS }: ServerChoice): readonly string[] {
  return useNTS ? [] : servers.filter((server) => !server.startsWith('/'));
}

/** The part of a configuration that names time servers. */
export type ChosenServers = Pick<EffectiveConfig, 'isComplete'> & {
  readonly time: Pick<EffectiveConfig['time'], 'servers'>;
};

/**
 * The servers to ask now. The default server is on the internet, so it is asked only for a configuration that names no other: not
 * in maintenance, and not while the servers of a new configuration are on their way.
 */
export function serversToAsk(choice: ServerChoice, config: ChosenServers | undefined): readonly string[] {
  const chosen = config?.time.servers ?? [];
  const asksDefault = (config?.isComplete ?? false) && chosen.length === 0;
  return askableServers(choice).filter(
    (server) => server !== defaultTimeServer || asksDefault || chosen.includes(server),
  );
}

/** Whether an answer of these servers may set the clock: a configuration is there, and they are those that it names, if any. */
export function maySetClock({ servers }: ServerChoice, config: ChosenServers | undefined): boolean {
  return (
    (config?.isComplete ?? false) && (config?.time.servers ?? []).every((name) => servers.includes(name))
  );
}

/**
 * What an operator should know about the default server, which Talos asks with NTS; `undefined` when it is not asked, or
 * was chosen.
 *
 * @param chosen the servers in the configuration
 */
export function plainDefaultNote(
  { servers, useNTS }: ServerChoice,
  chosen: readonly string[],
): string | undefined {
  if (useNTS || chosen.length > 0 || !servers.includes(defaultTimeServer)) return undefined;
  return 'NTS is not implemented, so the default time server is asked without it, and its answers are not authenticated';
}

/** What happens to a machine that has servers and can ask none; `undefined` when it can ask one. */
export function unaskedWarning(
  choice: ServerChoice & Pick<EffectiveConfig['time'], 'bootTimeoutMs'>,
): string | undefined {
  if (choice.servers.length === 0 || askableServers(choice).length > 0) return undefined;
  const until = choice.bootTimeoutMs > 0 ? ' until bootTimeout has passed' : '';
  return `NTS and clock devices are not implemented, so no time server is asked and the clock counts as not synchronised${until}: etcd and the kubelet wait for that`;
}
