import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { defineBareSpec } from '../../spec/define-spec.ts';
import { textBytes } from '../../spec/field-types.ts';

/**
 * Marks a spec whose YAML form is one string with all documents. Every machine configuration must have this
 * annotation.
 */
export const yamlSpecAnnotation = { 'talos.dev/yaml-spec': '1' } as const;

/**
 * The machine configuration as text, with all documents: `v1alpha1` is the active one, `persistent` the
 * stored one. It contains secrets.
 */
export const machineConfigs = defineKind({
  type: 'MachineConfigs.config.talos.dev',
  defaultNamespace: 'config',
  isSensitive: true,
  codec: defineBareSpec(1, textBytes),
});
export type MachineConfigSpec = SpecOf<typeof machineConfigs>;
