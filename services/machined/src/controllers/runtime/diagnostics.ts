import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { diagnostics, machineConfigs, nodeAddresses } from '@nodewright/state/kinds';
import { addressOverlap } from '../../domain/address-overlap.ts';
import { activeConfigId, configurationOf } from '../config/configuration-of.ts';

/** Problems of the node that somebody should look at. Those of Kubernetes need a kubelet, which this node has not. */
export function diagnosticsController(): Controller {
  return {
    name: 'runtime.DiagnosticsController',
    inputs: [weak(nodeAddresses), weak(machineConfigs, activeConfigId)],
    outputs: [exclusive(diagnostics)],
    async reconcile(pass) {
      const configuration = await configurationOf(pass);
      const current = await pass.get(pointerTo(nodeAddresses, 'current'));
      const overlap =
        configuration?.effective.isComplete &&
        addressOverlap({ ...configuration.effective.cluster, addresses: current?.spec.addresses ?? [] });
      await pass.replace(diagnostics, overlap ? [{ id: 'address-overlap', spec: overlap }] : []);
    },
  };
}

/** A problem that lasts so long is logged. */
const patienceMs = 60_000;

/** Logs the problems that last, once each. */
export function diagnosticsLoggerController(): Controller {
  /** When each was seen first, Unix ms; undefined once it is logged. */
  const seen = new Map<string, number | undefined>();
  return {
    name: 'runtime.DiagnosticsLoggerController',
    inputs: [weak(diagnostics)],
    outputs: [],
    async reconcile(pass) {
      const present = await pass.list(diagnostics);
      const ids = new Set(present.map(({ metadata }) => metadata.id));
      for (const id of seen.keys()) if (!ids.has(id)) seen.delete(id);
      for (const { metadata, spec } of present) {
        const { id } = metadata;
        if (!seen.has(id)) seen.set(id, pass.now());
        const sinceMs = seen.get(id);
        if (sinceMs === undefined) continue;
        const leftMs = sinceMs + patienceMs - pass.now();
        if (leftMs > 0) {
          pass.wakeAfter(leftMs);
          continue;
        }
        seen.set(id, undefined);
        pass.log.warn({ diagnostic: id, message: spec.message, details: spec.details }, 'problem lasts');
      }
    },
  };
}
