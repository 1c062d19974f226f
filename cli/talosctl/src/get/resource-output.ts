import type { ResourceDefinitionSpec } from '@nodewright/state';
import { InvalidArgumentError } from 'commander';
import type { OutputStream } from '../command-module.ts';
import { parseJsonPath, type TemplatePart } from '../json-path/parse-json-path.ts';
import { formatSortedJson } from '../render/json.ts';
import { Table } from '../render/table.ts';
import { writeSlowly } from '../write-slowly.ts';
import { jsonPathLines, resourceObject } from './resource-documents.ts';
import { resourceColumns } from './resource-table.ts';
import type { ShownResource } from './shown-resource.ts';
import { yamlDocument } from './yaml-document.ts';

export type ResourceFormat =
  | { readonly kind: 'table' | 'yaml' | 'json' }
  | { readonly kind: 'jsonpath'; readonly template: readonly TemplatePart[] };

/** Reads the value of `-o`: table, yaml, json or jsonpath=<template>. */
export function parseResourceFormat(text: string): ResourceFormat {
  if (text === 'table' || text === 'yaml' || text === 'json') return { kind: text };
  const template = /^jsonpath=(.*)$/s.exec(text)?.[1];
  if (template === undefined) {
    throw new InvalidArgumentError("It must be table, yaml, json or jsonpath='{...}'.");
  }
  if (!template.includes('{')) {
    throw new InvalidArgumentError("A JSONPath stands in braces, such as jsonpath='{.metadata.id}'.");
  }
  try {
    return { kind: 'jsonpath', template: parseJsonPath(template) };
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

/** Prints resources as they come. */
export interface ResourceOutput {
  add(resource: ShownResource): Promise<void>;
  /** Says that nothing more comes at once. */
  flush(): Promise<void>;
}

/** The output for resources of one kind. */
export function createResourceOutput(
  output: OutputStream,
  format: ResourceFormat,
  definition: ResourceDefinitionSpec,
  isWatch: boolean,
): ResourceOutput {
  if (format.kind === 'table') {
    const { header, row } = resourceColumns(definition, isWatch);
    const table = new Table(output, { header, headerWithoutRows: false });
    return { add: async (resource) => table.add(row(resource)), flush: async () => table.flush() };
  }
  let count = 0;
  const flush = async () => {};
  return {
    flush,
    async add(resource) {
      if (format.kind === 'jsonpath') {
        const lines = jsonPathLines(resource, format.template);
        return writeSlowly(output, lines.map((line) => `${line}\n`).join(''));
      }
      if (format.kind === 'json')
        return writeSlowly(output, `${formatSortedJson(resourceObject(resource))}\n`);
      count += 1;
      await writeSlowly(output, `${count === 1 ? '' : '---\n'}${yamlDocument(resource)}`);
    },
  };
}
