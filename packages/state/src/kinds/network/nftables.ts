import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import {
  bool,
  cidr,
  field,
  list,
  message,
  optional,
  text,
  uint16,
  uint32,
  uint64,
  unlessEmpty,
  type ValueOf,
} from '../../spec/field-types.ts';
import {
  conntrackState,
  icmpType,
  matchOperator,
  nftablesChainHook,
  nftablesChainPriority,
  nftablesVerdict,
  protocol,
} from './enumerations.ts';

const nftablesIfNameMatch = message({
  interfaceName: field(3, list(text)),
  operator: field(2, matchOperator),
});
export type NfTablesIfNameMatch = ValueOf<typeof nftablesIfNameMatch>;

const nftablesMark = message({
  mask: unlessEmpty(1, uint32),
  xor: unlessEmpty(2, uint32),
  value: unlessEmpty(3, uint32),
});
export type NfTablesMark = ValueOf<typeof nftablesMark>;

const nftablesConntrackStateMatch = message({
  states: field(1, list(conntrackState)),
});
export type NfTablesConntrackStateMatch = ValueOf<typeof nftablesConntrackStateMatch>;

const nftablesAddressMatch = message({
  includeSubnets: unlessEmpty(1, list(cidr)),
  excludeSubnets: unlessEmpty(2, list(cidr)),
  invert: unlessEmpty(3, bool),
});
export type NfTablesAddressMatch = ValueOf<typeof nftablesAddressMatch>;

const portRange = message({
  lo: field(1, uint16),
  hi: field(2, uint16),
});
export type PortRange = ValueOf<typeof portRange>;

const nftablesPortMatch = message({
  ranges: unlessEmpty(1, list(portRange)),
});
export type NfTablesPortMatch = ValueOf<typeof nftablesPortMatch>;

const nftablesIcmpTypeMatch = message({
  types: field(1, list(icmpType)),
});
export type NfTablesICMPTypeMatch = ValueOf<typeof nftablesIcmpTypeMatch>;

const nftablesLayer4Match = message({
  protocol: field(1, protocol),
  matchSourcePort: unlessEmpty(2, optional(nftablesPortMatch)),
  matchDestinationPort: unlessEmpty(3, optional(nftablesPortMatch)),
  matchICMPType: unlessEmpty(4, optional(nftablesIcmpTypeMatch)),
});
export type NfTablesLayer4Match = ValueOf<typeof nftablesLayer4Match>;

const nftablesLimitMatch = message({
  packetRatePerSecond: field(1, uint64),
});
export type NfTablesLimitMatch = ValueOf<typeof nftablesLimitMatch>;

const nftablesClampMss = message({
  mtu: field(1, uint16),
});
export type NfTablesClampMSS = ValueOf<typeof nftablesClampMss>;

const nftablesRule = message({
  matchIIfName: unlessEmpty(8, optional(nftablesIfNameMatch)),
  matchOIfName: unlessEmpty(1, optional(nftablesIfNameMatch)),
  matchMark: unlessEmpty(3, optional(nftablesMark)),
  matchConntrackState: unlessEmpty(11, optional(nftablesConntrackStateMatch)),
  matchSourceAddress: unlessEmpty(5, optional(nftablesAddressMatch)),
  matchDestinationAddress: unlessEmpty(6, optional(nftablesAddressMatch)),
  matchLayer4: unlessEmpty(7, optional(nftablesLayer4Match)),
  matchLimit: unlessEmpty(10, optional(nftablesLimitMatch)),
  clampMSS: unlessEmpty(9, optional(nftablesClampMss)),
  setMark: unlessEmpty(4, optional(nftablesMark)),
  anonymousCounter: unlessEmpty(12, bool),
  verdict: unlessEmpty(2, optional(nftablesVerdict)),
});
export type NfTablesRule = ValueOf<typeof nftablesRule>;

/** Desired nftables chains with their rules, by name. */
export const nfTablesChains = defineKind({
  type: 'NfTablesChains.net.talos.dev',
  defaultNamespace: 'network',
  aliases: ['chain', 'chains'],
  printColumns: {
    Type: '{.type}',
    Hook: '{.hook}',
    Priority: '{.priority}',
    Policy: '{.policy}',
  },
  spec: {
    /** `filter`, `route` or `nat`. */
    type: field(1, text),
    hook: field(2, nftablesChainHook),
    priority: field(3, nftablesChainPriority),
    policy: field(5, nftablesVerdict),
    rules: field(4, list(nftablesRule)),
  },
});
export type NfTablesChainSpec = SpecOf<typeof nfTablesChains>;
