import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, list, text, unlessEmpty } from '../../spec/field-types.ts';
import { configLayer } from './enumerations.ts';

/** The time servers in use. */
export const timeServerStatuses = defineKind({
  type: 'TimeServerStatuses.net.talos.dev',
  defaultNamespace: 'network',
  singleton: 'timeservers',
  aliases: ['timeserver', 'timeservers'],
  printColumns: {
    Timeservers: '{.timeServers}',
    UseNTS: '{.useNTS}',
  },
  spec: {
    timeServers: field(1, list(text)),
    useNTS: field(2, bool),
  },
});
export type TimeServerStatusSpec = SpecOf<typeof timeServerStatuses>;

export const timeServerSpecsFields = {
  /** Host names or addresses of servers, or PTP devices `/dev/ptpN`. */
  timeServers: field(1, list(text)),
  useNTS: unlessEmpty(3, bool),
  layer: field(2, configLayer),
};

/** The desired time servers. The namespace `network-config` has those of each layer. */
export const timeServerSpecs = defineKind({
  type: 'TimeServerSpecs.net.talos.dev',
  defaultNamespace: 'network',
  singleton: 'timeservers',
  printColumns: {
    Timeservers: '{.timeServers}',
    UseNTS: '{.useNTS}',
  },
  spec: timeServerSpecsFields,
});
export type TimeServerSpecSpec = SpecOf<typeof timeServerSpecs>;
