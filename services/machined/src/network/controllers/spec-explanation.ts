import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { ConfigReader } from '@nodewright/machine-config';
import type { KindRef } from '@nodewright/state';
import {
  addressSpecs,
  addressStatuses,
  deviceConfigSpecs,
  linkSpecs,
  linkStatuses,
  machineConfigs,
  routeSpecs,
  routeStatuses,
  specExplanations,
} from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';
import { explainSpecs, type LayeredSpec } from '../domain/explain-specs.ts';
import { documentsOfLinks } from '../domain/link-sources.ts';
import { deviceConfigs, presentLinks } from './device-config.ts';
import { inLayers } from './network-config.ts';
import type { NetworkProblems } from './network-problems.ts';

export interface SpecExplanationInit {
  readonly problems: NetworkProblems;
  /** Why this node applies no specification; empty on a node that does. */
  readonly unmanaged: string;
  /** What the layer `platform` is made from. */
  readonly platformSource: string;
}

/** How soon a change is explained: while a machine starts, everything changes many times. */
const pauseMs = 1000;

/**
 * Publishes for each specification of a link, an address and a route where it comes from, and why it is not applied. Our own:
 * `talosctl get links --explain` shows it.
 */
export function createSpecExplanationController(init: SpecExplanationInit): Controller {
  const { problems, unmanaged, platformSource } = init;
  let lastMs = Number.NEGATIVE_INFINITY;
  return {
    name: 'network.SpecExplanationController',
    inputs: [
      ...[weak(inLayers(linkSpecs)), weak(inLayers(addressSpecs)), weak(inLayers(routeSpecs))],
      ...[weak(linkStatuses), weak(addressStatuses), weak(routeStatuses)],
      ...[weak(deviceConfigSpecs), weak(machineConfigs, activeConfigId)],
    ],
    outputs: [exclusive(specExplanations)],
    open(source, scope) {
      scope.use(problems.watch(() => source.wake()));
    },
    async reconcile(pass) {
      const waitMs = lastMs + pauseMs - pass.monotonicMs();
      if (waitMs > 0) return pass.wakeAfter(waitMs);
      lastMs = pass.monotonicMs();
      const layered = async <S>(kind: KindRef<S>): Promise<LayeredSpec<S>[]> =>
        (await pass.list(inLayers(kind)))
          .filter(({ metadata }) => metadata.phase === 'running')
          .map(({ metadata, spec }) => ({ id: metadata.id, spec }));
      const links = (await presentLinks(pass)).map(({ name, spec: { alias, altNames } }) => ({
        ...{ name, alias, altNames },
      }));
      const reader = new ConfigReader((await configurationOf(pass))?.documents ?? []);
      const explained = explainSpecs(
        {
          links: await layered(linkSpecs),
          addresses: await layered(addressSpecs),
          routes: await layered(routeSpecs),
        },
        {
          addresses: (await pass.list(addressStatuses)).map(({ metadata, spec }) => ({
            id: metadata.id,
            spec,
          })),
          routes: new Set((await pass.list(routeStatuses)).map(({ metadata }) => metadata.id)),
        },
        {
          ...{ unmanaged, platformSource, links },
          documents: documentsOfLinks(reader, await deviceConfigs(pass), links),
          lines: problems.all().map(({ line }) => line),
        },
      );
      await pass.replace(
        specExplanations,
        Object.entries(explained).map(([id, spec]) => ({ id, spec })),
      );
    },
  };
}
