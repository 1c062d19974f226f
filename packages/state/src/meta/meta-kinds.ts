import { defineSpec } from '../spec/define-spec.ts';
import { bool, enumeration, list, message, text } from '../spec/field-types.ts';
import { defineKind, type PrintColumn } from './define-kind.ts';

/** Where the definitions of kinds and the namespaces are. */
export const metaNamespace = 'meta';

export interface NamespaceSpec {
  readonly description: string;
}

/** Namespaces, each under its name. */
export const namespaces = defineKind<NamespaceSpec>({
  type: 'Namespaces.meta.cosi.dev',
  defaultNamespace: metaNamespace,
  aliases: ['ns'],
  codec: defineSpec<NamespaceSpec>({ description: { number: 1, type: text } }),
});

export interface ResourceDefinitionSpec {
  readonly type: string;
  readonly displayType: string;
  readonly defaultNamespace: string;
  readonly aliases: readonly string[];
  readonly allAliases: readonly string[];
  readonly skipAutomaticAliases: boolean;
  readonly printColumns: readonly PrintColumn[];
  readonly sensitivity: '' | 'sensitive';
}

const definitionFields = {
  type: { number: 1, type: text },
  displayType: { number: 2, type: text },
  defaultNamespace: { number: 3, type: text },
  aliases: { number: 4, type: list(text) },
  allAliases: { number: 5, type: list(text) },
  printColumns: {
    number: 6,
    type: list(
      message<PrintColumn>({ name: { number: 1, type: text }, jsonPath: { number: 2, type: text } }),
    ),
  },
  sensitivity: {
    number: 7,
    type: enumeration<ResourceDefinitionSpec['sensitivity']>({ '': 0, sensitive: 1 }),
    omitEmpty: true,
  },
} as const;

const onTheWire = defineSpec<Omit<ResourceDefinitionSpec, 'skipAutomaticAliases'>>(definitionFields);

/** What there is to know of each kind, under its type in lower case. */
export const resourceDefinitions = defineKind<ResourceDefinitionSpec>({
  type: 'ResourceDefinitions.meta.cosi.dev',
  defaultNamespace: metaNamespace,
  aliases: ['api-resources'],
  printColumns: { Aliases: '{.aliases[:]}' },
  codec: {
    // One field is known to YAML only.
    toYaml: ({ skipAutomaticAliases, ...spec }) => {
      const { printColumns, sensitivity, ...head } = onTheWire.toYaml(spec) as Record<string, unknown>;
      return {
        ...head,
        ...(skipAutomaticAliases && { skipAutomaticAliases: bool.toYaml(true) }),
        printColumns,
        ...(sensitivity !== undefined && { sensitivity }),
      };
    },
    toProto: (spec) => onTheWire.toProto(spec),
    fromProto: (bytes) => ({ skipAutomaticAliases: false, ...onTheWire.fromProto(bytes) }),
  },
});
