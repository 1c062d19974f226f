// What the configuration wants of the Kubernetes node. Source: Talos v1.14: COSI resources, k8s (node side).
import type { Controller } from '@nodewright/controllers';
import { nodeAnnotationSpecs, nodeLabelSpecs, nodeTaintSpecs } from '@nodewright/state/kinds';
import { configuredController } from '../../base/controllers/configured-controller.ts';

export function nodeSpecControllers(): Controller[] {
  return [
    configuredController({
      name: 'k8s.NodeLabelSpecController',
      output: nodeLabelSpecs,
      wanted: ({ node }) => entriesOf(node.labels),
    }),
    configuredController({
      name: 'k8s.NodeAnnotationSpecController',
      output: nodeAnnotationSpecs,
      wanted: ({ node }) => entriesOf(node.annotations),
    }),
    configuredController({
      name: 'k8s.NodeTaintSpecController',
      output: nodeTaintSpecs,
      wanted: ({ node }) => node.taints.map((spec) => ({ id: spec.key, spec })),
    }),
  ];
}

const entriesOf = (map: Readonly<Record<string, string>>) =>
  Object.entries(map).map(([key, value]) => ({ id: key, spec: { key, value } }));
