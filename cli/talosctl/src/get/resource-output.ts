import type { ResourceDefinitionSpec } from '@nodewright/state';
import { InvalidArgumentError } from 'commander';
import type { OutputStream } from '../context/command-module.ts';
import { writeSlowly } from '../context/write-slowly.ts';
import type { TemplatePart } from '../json-path/parse-json-path.ts';
import { escapeEntry, escapeLine } from '../output/escape-text.ts';
import { formatSortedJson } from '../render/json.ts';
import { parseTemplate } from '../render/output-format.ts';
import { printableCell } from '../render/printable.ts';
import { Table } from '../render/table.ts';
import { jsonPathLines, resourceObject } from './resource-documents.ts';
import { resourceColumns } from './resource-table.ts';
import type { ShownResource } from './shown-resource.ts';
import { yamlDocument } from './yaml-document.ts';

export type ResourceFormat =
  | { readonly kind: 'table' | 'wide' | 'yaml' | 'json' | 'name' }
  | { readonly kind: 'jsonpath'; readonly template: readonly TemplatePart[] };

const plainFormats = ['table', 'wide', 'yaml', 'json', 'name'] as const;

/** Parses the value of `-o`: table, wide, yaml, json, name or jsonpath=<template>. */
export function parseResourceFormat(text: string): ResourceFormat {
  const kind = plainFormats.find((known) => known === text);
  if (kind !== undefined) return { kind };
  const template = /^jsonpath=(.*)$/s.exec(text)?.[1];
  if (template === undefined) {
    throw new InvalidArgumentError(`It must be one of ${plainFormats.join(', ')}, jsonpath='{...}'.`);
  }
  return { kind: 'jsonpath', template: parseTemplate(template) };
}

/** Prints resources as they arrive. */
export interface ResourceOutput {
  add(resource: ShownResource): Promise<void>;
  /** Prints the rows that are still held back to align the columns. */
  flush(): Promise<void>;
}

/** Creates the output for resources of one kind. */
export function createResourceOutput(
  output: OutputStream,
  format: ResourceFormat,
  definition: ResourceDefinitionSpec,
  isWatch: boolean,
): ResourceOutput {
  if (format.kind === 'table' || format.kind === 'wide') {
    const { header, row } = resourceColumns(definition, isWatch, format.kind === 'wide');
    const table = new Table(output, { header, headerWithoutRows: false });
    return { add: async (resource) => table.add(row(resource)), flush: async () => table.flush() };
  }
  let count = 0;
  const flush = async () => {};
  return {
    flush,
    async add(resource) {
      if (format.kind === 'name') {
        const { id } = resource.metadata;
        return writeSlowly(output, `${output.isTTY ? escapeLine(id) : printableCell(id)}\n`);
      }
      if (format.kind === 'jsonpath') {
        const lines = jsonPathLines(resource, format.template);
        const shown = output.isTTY ? lines.map(escapeEntry) : lines;
        return writeSlowly(output, shown.map((line) => `${line}\n`).join(''));
      }
      if (format.kind === 'json')
        return writeSlowly(output, `${formatSortedJson(resourceObject(resource))}\n`);
      count += 1;
      await writeSlowly(output, `${count === 1 ? '' : '---\n'}${yamlDocument(resource)}`);
    },
  };
}
