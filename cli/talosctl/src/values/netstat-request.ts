import {
  type NetstatRequest,
  NetstatRequest_Filter,
  type NetstatRequest_L4proto,
} from '@nodewright/contract/gen/machine/machine.ts';

/** The flags that select sockets. */
export interface SocketFlags {
  readonly verbose?: boolean;
  readonly programs?: boolean;
  readonly listening?: boolean;
  readonly all?: boolean;
  readonly pods?: boolean;
  readonly tcp?: boolean;
  readonly udp?: boolean;
  readonly udplite?: boolean;
  readonly raw?: boolean;
  readonly ipv4?: boolean;
  readonly ipv6?: boolean;
}

/** Source: Talos v1.14: netstat. */
function protocols(flags: SocketFlags): NetstatRequest_L4proto {
  const { tcp, udp, udplite, raw, verbose = false, ipv4 = false, ipv6 = false } = flags;
  const isChosen = [tcp, udp, udplite, raw].some((flag) => flag === true);
  const wanted = (flag: boolean | undefined, isDefault: boolean) =>
    verbose || (isChosen ? flag === true : isDefault);
  const [hasIpv4, hasIpv6] = [ipv4 || !ipv6, ipv6 || !ipv4];
  const [onTcp, onUdp, onUdplite, onRaw] = [
    wanted(tcp, true),
    wanted(udp, true),
    wanted(udplite, false),
    wanted(raw, false),
  ];
  return {
    tcp: onTcp && hasIpv4,
    tcp6: onTcp && hasIpv6,
    udp: onUdp && hasIpv4,
    udp6: onUdp && hasIpv6,
    udplite: onUdplite && hasIpv4,
    udplite6: onUdplite && hasIpv6,
    raw: onRaw && hasIpv4,
    raw6: onRaw && hasIpv6,
  };
}

/** @param namespace the network namespace to list instead of the host's. */
export function netstatRequest(flags: SocketFlags, namespace?: string): NetstatRequest {
  const { ALL, CONNECTED, LISTENING } = NetstatRequest_Filter;
  const listeningOr = flags.listening ? LISTENING : CONNECTED;
  return {
    filter: flags.all ? ALL : listeningOr,
    feature: { pid: flags.programs ?? false },
    l4proto: protocols(flags),
    netns: {
      hostnetwork: namespace === undefined,
      netns: namespace === undefined ? [] : [namespace],
      allnetns: flags.pods ?? false,
    },
  };
}
