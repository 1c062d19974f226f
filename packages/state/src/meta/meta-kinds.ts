import { bool, enumeration, field, list, message, text, unlessEmpty, yamlOnly } from '../spec/field-types.ts';
import { defineKind, type SpecOf } from './define-kind.ts';

/** The namespace of namespaces and resource definitions. */
export const metaNamespace = 'meta';

/** Namespaces, by name. */
export const namespaces = defineKind({
  type: 'Namespaces.meta.cosi.dev',
  defaultNamespace: metaNamespace,
  aliases: ['ns'],
  spec: { description: field(1, text) },
});
export type NamespaceSpec = SpecOf<typeof namespaces>;

/** Definitions of kinds. The ID is the type in lower case. */
export const resourceDefinitions = defineKind({
  type: 'ResourceDefinitions.meta.cosi.dev',
  defaultNamespace: metaNamespace,
  aliases: ['api-resources'],
  printColumns: { Aliases: '{.aliases[:]}' },
  spec: {
    type: field(1, text),
    displayType: field(2, text),
    defaultNamespace: field(3, text),
    aliases: field(4, list(text)),
    allAliases: field(5, list(text)),
    skipAutomaticAliases: { ...yamlOnly(bool), omitEmpty: true },
    printColumns: field(6, list(message({ name: field(1, text), jsonPath: field(2, text) }))),
    sensitivity: unlessEmpty(7, enumeration('Sensitivity', { '': 0, sensitive: 1 })),
  },
});
export type ResourceDefinitionSpec = SpecOf<typeof resourceDefinitions>;
