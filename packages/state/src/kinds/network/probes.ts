import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import {
  bool,
  duration,
  field,
  int,
  message,
  optional,
  text,
  unlessEmpty,
  url,
  type ValueOf,
} from '../../spec/field-types.ts';
import { configLayer } from './enumerations.ts';

const tcpProbeSpec = message({
  endpoint: field(1, text),
  timeout: field(2, duration),
});
export type TCPProbeSpec = ValueOf<typeof tcpProbeSpec>;

const httpProbeSpec = message({
  url: field(1, optional(url)),
  timeout: field(2, duration),
});
export type HTTPProbeSpec = ValueOf<typeof httpProbeSpec>;

export const probeSpecsFields = {
  interval: field(1, duration),
  failureThreshold: field(2, int),
  tcp: unlessEmpty(3, tcpProbeSpec),
  layer: field(4, configLayer),
  http: unlessEmpty(5, httpProbeSpec),
};

/**
 * Probes of network connectivity, with IDs `tcp:<endpoint>` or `http:<url>`. The namespace `network-config`
 * has the probes of each layer.
 */
export const probeSpecs = defineKind({
  type: 'ProbeSpecs.net.talos.dev',
  defaultNamespace: 'network',
  spec: probeSpecsFields,
});
export type ProbeSpecSpec = SpecOf<typeof probeSpecs>;

/** The latest result of each probe. */
export const probeStatuses = defineKind({
  type: 'ProbeStatuses.net.talos.dev',
  defaultNamespace: 'network',
  aliases: ['probe', 'probes'],
  printColumns: {
    Success: '{.success}',
  },
  spec: {
    success: field(1, bool),
    lastError: field(2, text),
  },
});
export type ProbeStatusSpec = SpecOf<typeof probeStatuses>;
