// Which name servers pods ask. In a pod a loopback address is the pod itself: CoreDNS would send its own questions to itself, and ends
// with "Loop detected".
import type { DiagnosticSpec } from '@nodewright/state/kinds';
import { isIpAddress } from '../../base/domain/is-ip-address.ts';
import { holds, parsePrefix } from '../../base/domain/prefix.ts';
import { defaultNameServers } from './name-servers.ts';

export interface PodResolverFacts {
  /** The name servers of the node: those of its configuration if it names any. */
  readonly inUse: readonly string[];
  /** `resolv.conf` of the environment; empty on a machine. */
  readonly resolvConf: string;
  /** The node is a container, whose engine has an option for name servers. */
  readonly isContainer: boolean;
}

export interface PodResolver {
  readonly servers: readonly string[];
  /** Set while pods ask other servers than those that somebody has chosen for the node. */
  readonly diagnostic: DiagnosticSpec | undefined;
}

/** The resolver of libc uses only the first three. */
const shownServers = 3;

/**
 * The name servers of pods: those of the node without loopback addresses. If none is left, those that the engine of the container was
 * given; without any, the defaults, with a diagnostic.
 */
export function podResolver({ inUse, resolvConf, isContainer }: PodResolverFacts): PodResolver {
  const reachable = inUse.filter(isReachable);
  if (reachable.length > 0) return { servers: reachable, diagnostic: undefined };
  const given = engineNameServers(resolvConf).filter(isReachable);
  if (given.length > 0) return { servers: given, diagnostic: undefined };
  const option = "start the container with name servers (the engine's option --dns), or ";
  const ofNode = inUse.slice(0, shownServers).join(', ');
  return {
    servers: defaultNameServers,
    diagnostic: {
      message: `pods ask the default name servers ${defaultNameServers.join(', ')}: they cannot reach those of the node (${ofNode || 'none'})`,
      details: [
        ...(inUse.length > 0 && inUse.every(isLinkLocal)
          ? []
          : ['a loopback address is another one in each pod']),
        ...(inUse.some(isLinkLocal) ? ['a link-local address needs its link, which pods do not have'] : []),
        `${isContainer ? option : ''}configure name servers of the node (a document of kind ResolverConfig)`,
      ],
    },
  };
}

/** Addresses that mean the own host, also in their forms of IPv6, and those of a link that pods do not have. */
const unreachable = [
  '127.0.0.0/8',
  '0.0.0.0/8',
  '::1/128',
  '::/128',
  '::ffff:127.0.0.0/104',
  '::ffff:0.0.0.0/104',
  'fe80::/10',
]
  .map(parsePrefix)
  .filter((prefix) => prefix !== undefined);

const isLinkLocal = (address: string) => /^fe[89ab][0-9a-f]:/i.test(address);

function isReachable(address: string): boolean {
  const parsed = isIpAddress(address) ? parsePrefix(address) : undefined;
  return parsed !== undefined && !unreachable.some((network) => holds(network, parsed));
}

/**
 * The servers of the option `--dns`. On a network of the user the engine's own server, 127.0.0.11, asks them, and `resolv.conf` names
 * them in a comment only. Those of the engine's host stand there as `host(…)`. Source: Docker: networking.
 */
function engineNameServers(resolvConf: string): string[] {
  const [, listed = ''] = /^# ExtServers: \[([^\]\n]*)\]/m.exec(resolvConf) ?? [];
  return listed.split(/\s+/).filter((word) => word !== '');
}
