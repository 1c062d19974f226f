// What the configuration and the system extensions want of the Kubernetes node. Source: Talos v1.14: COSI resources, k8s (node
// side).
import { type Controller, exclusive, weak } from '@nodewright/controllers';
import type { EffectiveConfig } from '@nodewright/machine-config';
import type { ResourceKind } from '@nodewright/state';
import {
  extensionStatuses,
  machineConfigs,
  nodeAnnotationSpecs,
  nodeLabelSpecs,
  nodeTaintSpecs,
} from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';
import { configuredController } from '../../base/controllers/configured-controller.ts';
import { type ExtensionMarks, extensionMarks } from '../domain/extension-marks.ts';

export function nodeSpecControllers(): Controller[] {
  return [
    markController('k8s.NodeLabelSpecController', nodeLabelSpecs, (node, { labels }) => ({
      ...labels,
      ...node.labels,
    })),
    markController('k8s.NodeAnnotationSpecController', nodeAnnotationSpecs, (node, { annotations }) => ({
      ...annotations,
      ...node.annotations,
    })),
    configuredController({
      name: 'k8s.NodeTaintSpecController',
      output: nodeTaintSpecs,
      wanted: ({ node }) => node.taints.map((spec) => ({ id: spec.key, spec })),
    }),
  ];
}

function markController(
  name: string,
  output: ResourceKind<{ readonly key: string; readonly value: string }>,
  wanted: (node: EffectiveConfig['node'], marks: ExtensionMarks) => Readonly<Record<string, string>>,
): Controller {
  return {
    name,
    inputs: [weak(machineConfigs, activeConfigId), weak(extensionStatuses)],
    outputs: [exclusive(output)],
    async reconcile(pass) {
      const configuration = await configurationOf(pass);
      if (configuration === undefined) return pass.replace(output, []);
      const extensions = (await pass.list(extensionStatuses)).map(({ spec }) => spec);
      const values = wanted(configuration.effective.node, extensionMarks(extensions));
      await pass.replace(
        output,
        Object.entries(values).map(([key, value]) => ({ id: key, spec: { key, value } })),
      );
    },
  };
}
