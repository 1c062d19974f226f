// The node's balancer of API servers. Source: Talos v1.14: KubePrism.
import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import {
  type KubePrismConfigSpec,
  kubePrismConfigs,
  kubePrismEndpoints,
  kubePrismStatuses,
  machineConfigs,
  members,
} from '@nodewright/state/kinds';
import type { Logger } from '@nodewright/telemetry';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';
import { endpointText, isSelf, kubePrismEndpointsFrom } from '../domain/kube-prism-endpoints.ts';
import type { KubePrism, KubePrismInit } from '../host/kube-prism.ts';

const loopback = '127.0.0.1';

/** @param ownAddress address of the node, set when other nodes share the host */
export function createKubePrismEndpointsController(ownAddress: string | undefined): Controller {
  return {
    name: 'k8s.KubePrismEndpointsController',
    inputs: [weak(machineConfigs, activeConfigId), weak(members)],
    outputs: [exclusive(kubePrismEndpoints)],
    async reconcile(pass) {
      const configuration = await configurationOf(pass);
      const all = (await pass.list(members)).map(({ spec }) => spec);
      const endpoints =
        configuration === undefined || !configuration.effective.kubePrism.enabled
          ? []
          : kubePrismEndpointsFrom(configuration.effective, all, ownAddress);
      const { singleton: id } = kubePrismEndpoints;
      await pass.replace(kubePrismEndpoints, endpoints.length === 0 ? [] : [{ id, spec: { endpoints } }]);
    },
  };
}

/** @param ownAddress address to listen on, set when other nodes share the host */
export function createKubePrismConfigController(ownAddress: string | undefined): Controller {
  return {
    name: 'k8s.KubePrismConfigController',
    inputs: [weak(machineConfigs, activeConfigId), weak(kubePrismEndpoints, kubePrismEndpoints.singleton)],
    outputs: [exclusive(kubePrismConfigs)],
    async reconcile(pass) {
      const { enabled, port } = (await configurationOf(pass))?.effective.kubePrism ?? {
        enabled: false,
        port: 0,
      };
      const found = (await pass.get(pointerTo(kubePrismEndpoints)))?.spec.endpoints;
      const listener = { host: ownAddress ?? loopback, port };
      const endpoints = found?.filter((endpoint) => !isSelf(listener, endpoint));
      const spec = enabled && endpoints !== undefined ? { ...listener, endpoints } : undefined;
      await pass.replace(
        kubePrismConfigs,
        spec === undefined ? [] : [{ id: kubePrismConfigs.singleton, spec }],
      );
    },
  };
}

type Balancer = Pick<KubePrism, 'listen' | 'use' | 'isHealthy' | typeof Symbol.asyncDispose>;

/** Opens a balancer that does not listen yet. */
export type OpenKubePrism = (init: Pick<KubePrismInit, 'onHealth' | 'log'>) => Balancer;

/** Runs the balancer as its configuration says, and publishes whether an API server answers. */
export function createKubePrismController(openKubePrism: OpenKubePrism): Controller {
  let running: { readonly balancer: Balancer; readonly listener: string } | undefined;
  let wake = () => {};
  const end = async () => {
    const before = running;
    running = undefined;
    await before?.balancer[Symbol.asyncDispose]();
  };
  const opened = async (config: KubePrismConfigSpec, log: Logger) => {
    const balancer = openKubePrism({ onHealth: () => wake(), log });
    try {
      await balancer.listen(config);
    } catch (error) {
      await balancer[Symbol.asyncDispose]();
      throw error;
    }
    return { balancer, listener: endpointText(config) };
  };
  return {
    name: 'k8s.KubePrismController',
    inputs: [weak(kubePrismConfigs, kubePrismConfigs.singleton)],
    outputs: [exclusive(kubePrismStatuses)],
    open(source, scope) {
      wake = () => source.wake();
      scope.defer(end);
    },
    async reconcile(pass) {
      const config = (await pass.get(pointerTo(kubePrismConfigs)))?.spec;
      if (config === undefined || running?.listener !== endpointText(config)) await end();
      if (config === undefined) return pass.replace(kubePrismStatuses, []);
      running ??= await opened(config, pass.log);
      running.balancer.use(config.endpoints);
      const spec = { host: endpointText(config), healthy: running.balancer.isHealthy };
      await pass.replace(kubePrismStatuses, [{ id: kubePrismStatuses.singleton, spec }]);
    },
  };
}
