import { defineKind } from '../meta/define-kind.ts';
import { defineSpec } from '../spec/define-spec.ts';
import { textBytes } from '../spec/field-types.ts';
import { type MachineTypeName, machineType } from './machine-type.ts';

const machineConfigMessage = defineSpec<{ text: string }>({ text: { number: 1, type: textBytes } });

/** Says that the spec in YAML is one text that holds the documents. To be set on every machine configuration. */
export const yamlSpecAnnotation = { 'talos.dev/yaml-spec': '1' } as const;

/** The machine configuration as text, all of its documents; `v1alpha1` is the one in force. It holds secrets. */
export const machineConfigs = defineKind<string>({
  type: 'MachineConfigs.config.talos.dev',
  defaultNamespace: 'config',
  isSensitive: true,
  codec: {
    toYaml: (text) => text,
    toProto: (text) => machineConfigMessage.toProto({ text }),
    fromProto: (bytes) => machineConfigMessage.fromProto(bytes).text,
  },
});

const machineTypeMessage = defineSpec<{ type: MachineTypeName }>({ type: { number: 1, type: machineType } });

/** What this machine is: `machine-type`. The spec is the word alone. */
export const machineTypes = defineKind<MachineTypeName>({
  type: 'MachineTypes.config.talos.dev',
  defaultNamespace: 'config',
  printColumns: { Type: '{@}' },
  codec: {
    toYaml: (type) => type,
    toProto: (type) => machineTypeMessage.toProto({ type }),
    fromProto: (bytes) => machineTypeMessage.fromProto(bytes).type,
  },
});
