import type { ConfigReader, DocumentReader } from '@nodewright/machine-config';
import type { OperatorSpecSpec, ProbeSpecSpec } from '@nodewright/state/kinds';
import type { Layer } from './merge-layers.ts';
import { defaultMetric } from './route-documents.ts';

/**
 * The DHCP clients of the configuration. Source: Talos v1.14: DHCPv4Config, DHCPv6Config;
 * network.OperatorConfigController.
 */
export function operatorSpecsOf(reader: ConfigReader): OperatorSpecSpec[] {
  return [
    ...reader.documents('DHCPv4Config').map((document) => ({
      ...plainOperator('dhcp4', document.name, 'configuration'),
      dhcp4: {
        ...{
          routeMetric: document.integer('routeMetric') || defaultMetric,
          clientIdentifier: clientOf(document),
        },
        skipHostnameRequest: document.boolean('ignoreHostname') ?? false,
        skipRoutes: document.boolean('ignoreRoutes') ?? false,
      },
    })),
    ...reader.documents('DHCPv6Config').map((document) => ({
      ...plainOperator('dhcp6', document.name, 'configuration'),
      dhcp6: {
        ...{
          routeMetric: document.integer('routeMetric') || defaultMetric,
          clientIdentifier: clientOf(document),
        },
        skipHostnameRequest: document.boolean('ignoreHostname') ?? false,
      },
    })),
  ];
}

/** Virtual addresses that nodes share. Source: Talos v1.14: network.OperatorVIPConfigController. */
export function vipOperatorSpecsOf(reader: ConfigReader): OperatorSpecSpec[] {
  return reader.documents('Layer2VIPConfig').map((document) => {
    const operator = plainOperator('vip', document.text('link'), 'configuration');
    return { ...operator, vip: { ...operator.vip, ip: document.name, gratuitousARP: true } };
  });
}

function clientOf(document: DocumentReader): OperatorSpecSpec['dhcp4']['clientIdentifier'] {
  const word = document.text('clientIdentifier');
  return {
    clientIdentifier: word === 'none' || word === 'duid' ? word : 'mac',
    duidRawHex: document.text('duidRaw'),
  };
}

/** An operator with default settings. */
export function plainOperator(
  operator: OperatorSpecSpec['operator'],
  linkName: string,
  layer: Layer,
): OperatorSpecSpec {
  const client = { clientIdentifier: 'none', duidRawHex: '' } as const;
  return {
    ...{ operator, linkName, requireUp: true, layer },
    dhcp4: { routeMetric: 0, skipHostnameRequest: false, clientIdentifier: client, skipRoutes: false },
    dhcp6: { routeMetric: 0, skipHostnameRequest: false, clientIdentifier: client },
    vip: {
      ...{ ip: '', gratuitousARP: false },
      equinixMetal: { projectID: '', deviceID: '', apiToken: '' },
      hcloud: { deviceID: 0, networkID: 0, apiToken: '' },
    },
  };
}

const defaultProbe = { intervalMs: 1000, timeoutMs: 10_000 };

/** Source: Talos v1.14: TCPProbeConfig, HTTPProbeConfig; network.ProbeConfigController. */
export function probeSpecsOf(reader: ConfigReader): ProbeSpecSpec[] {
  const common = (document: DocumentReader) => ({
    interval: document.milliseconds('interval') || defaultProbe.intervalMs,
    failureThreshold: document.integer('failureThreshold') ?? 0,
    ...{ tcp: { endpoint: '', timeout: 0 }, http: { url: undefined, timeout: 0 } },
    layer: 'configuration' as const,
  });
  const timeout = (document: DocumentReader) => document.milliseconds('timeout') || defaultProbe.timeoutMs;
  return [
    ...reader.documents('TCPProbeConfig').map((document) => ({
      ...common(document),
      tcp: { endpoint: document.text('endpoint'), timeout: timeout(document) },
    })),
    ...reader.documents('HTTPProbeConfig').map((document) => ({
      ...common(document),
      http: { url: document.text('url'), timeout: timeout(document) },
    })),
  ];
}
