import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import {
  bool,
  field,
  int,
  list,
  mapOf,
  message,
  optional,
  orderedMap,
  text,
  uint32,
  unlessEmpty,
  type ValueOf,
} from '../../spec/field-types.ts';
import { duplex, port, wolMode } from './enumerations.ts';

const ethernetRingsSpec = message({
  rx: unlessEmpty(1, optional(uint32)),
  tx: unlessEmpty(4, optional(uint32)),
  'rx-mini': unlessEmpty(2, optional(uint32)),
  'rx-jumbo': unlessEmpty(3, optional(uint32)),
  'rx-buf-len': unlessEmpty(5, optional(uint32)),
  'cqe-size': unlessEmpty(6, optional(uint32)),
  'tx-push': unlessEmpty(7, optional(bool)),
  'rx-push': unlessEmpty(8, optional(bool)),
  'tx-push-buf-len': unlessEmpty(9, optional(uint32)),
  'tcp-data-split': unlessEmpty(10, optional(bool)),
});
export type EthernetRingsSpec = ValueOf<typeof ethernetRingsSpec>;

const ethernetChannelsSpec = message({
  rx: unlessEmpty(1, optional(uint32)),
  tx: unlessEmpty(2, optional(uint32)),
  other: unlessEmpty(3, optional(uint32)),
  combined: unlessEmpty(4, optional(uint32)),
});
export type EthernetChannelsSpec = ValueOf<typeof ethernetChannelsSpec>;

const ethernetRingsStatus = message({
  'rx-max': unlessEmpty(1, optional(uint32)),
  'rx-mini-max': unlessEmpty(2, optional(uint32)),
  'rx-jumbo-max': unlessEmpty(3, optional(uint32)),
  'tx-max': unlessEmpty(4, optional(uint32)),
  'tx-push-buf-len-max': unlessEmpty(5, optional(uint32)),
  rx: unlessEmpty(6, optional(uint32)),
  'rx-mini': unlessEmpty(7, optional(uint32)),
  'rx-jumbo': unlessEmpty(8, optional(uint32)),
  tx: unlessEmpty(9, optional(uint32)),
  'rx-buf-len': unlessEmpty(10, optional(uint32)),
  'cqe-size': unlessEmpty(11, optional(uint32)),
  'tx-push': unlessEmpty(12, optional(bool)),
  'rx-push': unlessEmpty(13, optional(bool)),
  'tx-push-buf-len': unlessEmpty(14, optional(uint32)),
  'tcp-data-split': unlessEmpty(15, optional(bool)),
});
export type EthernetRingsStatus = ValueOf<typeof ethernetRingsStatus>;

const ethernetChannelsStatus = message({
  'rx-max': unlessEmpty(1, optional(uint32)),
  'tx-max': unlessEmpty(2, optional(uint32)),
  'other-max': unlessEmpty(3, optional(uint32)),
  'combined-max': unlessEmpty(4, optional(uint32)),
  rx: unlessEmpty(5, optional(uint32)),
  tx: unlessEmpty(6, optional(uint32)),
  other: unlessEmpty(7, optional(uint32)),
  combined: unlessEmpty(8, optional(uint32)),
});
export type EthernetChannelsStatus = ValueOf<typeof ethernetChannelsStatus>;

const features = orderedMap(message({ name: field(1, text), status: field(2, text) }), ({ name, status }) => [
  name,
  status,
]);

/** Desired Ethernet settings (ethtool), by link. */
export const ethernetSpecs = defineKind({
  type: 'EthernetSpecs.net.talos.dev',
  defaultNamespace: 'network',
  spec: {
    rings: unlessEmpty(1, ethernetRingsSpec),
    /** Whether each feature is enabled, by feature name. */
    features: unlessEmpty(2, mapOf(bool)),
    channels: unlessEmpty(3, ethernetChannelsSpec),
    wakeOnLan: unlessEmpty(4, list(wolMode)),
  },
});
export type EthernetSpecSpec = SpecOf<typeof ethernetSpecs>;

/** Current Ethernet settings (ethtool), by link. */
export const ethernetStatuses = defineKind({
  type: 'EthernetStatuses.net.talos.dev',
  defaultNamespace: 'network',
  aliases: ['ethtool'],
  printColumns: {
    Link: '{.linkState}',
    Speed: '{.speedMbit}',
  },
  spec: {
    linkState: unlessEmpty(1, optional(bool)),
    speedMbit: unlessEmpty(2, int),
    port: field(3, port),
    duplex: field(4, duplex),
    ourModes: unlessEmpty(5, list(text)),
    peerModes: unlessEmpty(6, list(text)),
    rings: unlessEmpty(7, optional(ethernetRingsStatus)),
    features: unlessEmpty(8, features),
    channels: unlessEmpty(9, optional(ethernetChannelsStatus)),
    wakeOnLAN: unlessEmpty(10, list(wolMode)),
  },
});
export type EthernetStatusSpec = SpecOf<typeof ethernetStatuses>;
