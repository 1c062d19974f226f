import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, int, list, message, text, uint32, type ValueOf } from '../../spec/field-types.ts';

const kubePrismEndpoint = message({
  host: field(1, text),
  port: field(2, uint32),
});
export type KubePrismEndpoint = ValueOf<typeof kubePrismEndpoint>;

/** Endpoints of the Kubernetes API servers. */
export const kubePrismEndpoints = defineKind({
  type: 'KubePrismEndpoints.kubernetes.talos.dev',
  defaultNamespace: 'k8s',
  singleton: 'k8s-cluster',
  printColumns: {
    Hosts: '{.endpoints[*].host}',
    Ports: '{.endpoints[*].port}',
  },
  spec: {
    endpoints: field(1, list(kubePrismEndpoint)),
  },
});
export type KubePrismEndpointSpec = SpecOf<typeof kubePrismEndpoints>;

/** Listen address and backends of the load balancer for the Kubernetes API on this node. */
export const kubePrismConfigs = defineKind({
  type: 'KubePrismConfigs.kubernetes.talos.dev',
  defaultNamespace: 'k8s',
  singleton: 'k8s-loadbalancer-config',
  printColumns: {
    Host: '{.host}',
    Port: '{.port}',
    Endpoints: '{.endpoints}',
  },
  spec: {
    /** `127.0.0.1`. */
    host: field(1, text),
    /** Port; 7445 by default. */
    port: field(2, int),
    endpoints: field(3, list(kubePrismEndpoint)),
  },
});
export type KubePrismConfigSpec = SpecOf<typeof kubePrismConfigs>;

/** Whether the load balancer has a healthy backend. */
export const kubePrismStatuses = defineKind({
  type: 'KubePrismStatuses.kubernetes.talos.dev',
  defaultNamespace: 'k8s',
  singleton: 'k8s-loadbalancer',
  printColumns: {
    HOST: '{.host}',
    HEALTHY: '{.healthy}',
  },
  spec: {
    host: field(1, text),
    healthy: field(2, bool),
  },
});
export type KubePrismStatusSpec = SpecOf<typeof kubePrismStatuses>;
