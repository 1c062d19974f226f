import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { defineBareSpec } from '../../spec/define-spec.ts';
import { textBytes } from '../../spec/field-types.ts';

/** Says that the spec in YAML is one text that holds the documents. To be set on every machine configuration. */
export const yamlSpecAnnotation = { 'talos.dev/yaml-spec': '1' } as const;

/**
 * The machine configuration as text, all of its documents: `v1alpha1` is the one in force, `persistent` the
 * stored one. It holds secrets.
 */
export const machineConfigs = defineKind({
  type: 'MachineConfigs.config.talos.dev',
  defaultNamespace: 'config',
  isSensitive: true,
  codec: defineBareSpec(1, textBytes),
});
export type MachineConfigSpec = SpecOf<typeof machineConfigs>;
