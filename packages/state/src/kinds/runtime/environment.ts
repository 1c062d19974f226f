import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { field, list, text, url } from '../../spec/field-types.ts';

/** Environment variables from the machine configuration, by service. The only ID is `machined`. */
export const environments = defineKind({
  type: 'Environments.runtime.talos.dev',
  defaultNamespace: 'runtime',
  aliases: ['env'],
  printColumns: {
    Variables: '{.variables}',
  },
  spec: {
    /** `NAME=value`, sorted. */
    variables: field(1, list(text)),
  },
});
export type EnvironmentSpec = SpecOf<typeof environments>;

/** Receiver of events. */
export const eventSinkConfigs = defineKind({
  type: 'EventSinkConfigs.runtime.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'event-sink',
  spec: {
    /** `host:port`. */
    endpoint: field(1, text),
  },
});
export type EventSinkConfigSpec = SpecOf<typeof eventSinkConfigs>;

/** Receivers of kernel log messages. */
export const kmsgLogConfigs = defineKind({
  type: 'KmsgLogConfigs.runtime.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'kmsg-log',
  spec: {
    destinations: field(1, list(url)),
  },
});
export type KmsgLogConfigSpec = SpecOf<typeof kmsgLogConfigs>;
