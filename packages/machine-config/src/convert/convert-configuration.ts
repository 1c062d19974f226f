import { Fault } from '@nodewright/fault';
import type { Configuration } from '../config-document.ts';
import { loadConfiguration } from '../decode/load-configuration.ts';
import { parsePatch } from '../patch/parse-patch.ts';
import { validateConfiguration } from '../validate/validate-configuration.ts';
import { compareEffective, type EffectiveDifference, unexplained } from './compare-effective.ts';
import type { ConversionNote } from './conversion.ts';
import { convertToDocuments } from './convert-to-documents.ts';
import { convertToSections } from './convert-to-sections.ts';
import { encodeConversion } from './encode-conversion.ts';
import { readAgain } from './read-again.ts';

/** The forms of a configuration: `documents` of Talos 1.14 and later, `sections` of 1.13. */
export type ConfigurationForm = 'documents' | 'sections';

const targets: Readonly<Record<string, ConfigurationForm>> = {
  '1.13': 'sections',
  '1.14': 'documents',
  '1.15': 'documents',
};

/**
 * Parses the version to convert to: `1.14`, `v1.14`, `1.15`, or back to `1.13`.
 *
 * @throws Fault `invalid-argument` for every other one
 */
export function parseConversionTarget(text: string): ConfigurationForm {
  const bare = text.replace(/^v/, '');
  const target = Object.hasOwn(targets, bare) ? targets[bare] : undefined;
  if (target !== undefined) return target;
  const known = Object.keys(targets).join(', ');
  throw new Fault('invalid-argument', `cannot convert to ${JSON.stringify(text)}: the versions are ${known}`);
}

export interface ConvertedText {
  readonly text: string;
  readonly before: Configuration;
  readonly after: Configuration;
  readonly notes: readonly ConversionNote[];
}

/**
 * Converts the text of a configuration and keeps its comments.
 *
 * @param options `isStored` when the text is of a node, which may have stored it in an older release; `to` is
 * `documents` by default
 * @throws Fault `invalid-argument` for a text that cannot be decoded or is not valid, with the positions, and for one whose conversion would
 * exceed a limit of configurations; `internal` when the conversion would not be valid or would not say what it should
 */
export function convertConfigurationText(
  text: string,
  options: { readonly isStored?: boolean; readonly to?: ConfigurationForm } = {},
): ConvertedText {
  const before = loadConfiguration(text, options);
  const errors = errorsOf(before);
  if (errors.length > 0) throw new Fault('invalid-argument', errors.join('\n'));
  const conversion = options.to === 'sections' ? convertToSections(before) : convertToDocuments(before);
  const after = conversion.configuration;
  const [broken] = errorsOf(after);
  if (broken !== undefined) throw new Fault('internal', `the conversion would not be valid: ${broken}`);
  if (after === before) return { text, before, after, notes: conversion.notes };
  const converted = encodeConversion(conversion, before, text);
  readAgain(converted, after, options);
  return { text: converted, before, after, notes: conversion.notes };
}

/**
 * What nodes would do differently after a conversion of a whole configuration although no note names it. Anything here is a fault of the
 * conversion: its text must not be used.
 *
 * @throws Fault `invalid-argument` for a certificate or key that is not PEM
 */
export function unnamedChanges({ before, after, notes }: Omit<ConvertedText, 'text'>): EffectiveDifference[] {
  return unexplained(compareEffective(before, after), notes);
}

/**
 * Converts the text of a patch. One that deletes, that repeats a document or that has no effect stays as it is, with a note.
 *
 * @throws Fault `invalid-argument` for a text that is no patch, and for a JSON patch, which fits one document only
 */
export function convertPatchText(text: string): ConvertedText {
  const patch = parsePatch(text);
  if (patch.kind === 'json')
    throw new Fault('invalid-argument', 'a JSON patch cannot change documents: write it as YAML to merge');
  const labels = patch.documents.map(({ kind, name }) => `${kind}/${name}`);
  const deletes = patch.documents.some(({ directives }) => directives.length > 0);
  if (deletes || new Set(labels).size < labels.length) {
    const why = deletes ? 'it deletes keys, which are in other documents now' : 'it has a document twice';
    return { text, before: [], after: [], notes: [{ kind: 'kept', key: 'the patch', text: why }] };
  }
  const before = loadConfiguration(text);
  const conversion = convertToDocuments(before, { isPatch: true });
  const after = conversion.configuration;
  // Without a document the text would be empty, which is no patch, and its comments would be lost.
  if (after.length === 0) {
    const why = 'nothing in it has an effect on a node';
    return { text, before, after: before, notes: [{ kind: 'kept', key: 'the patch', text: why }] };
  }
  if (after === before) return { text, before, after, notes: conversion.notes };
  const converted = encodeConversion(conversion, before, text, { isPatch: true });
  readAgain(converted, after);
  return { text: converted, before, after, notes: conversion.notes };
}

/** What makes a configuration unusable on every platform. A disk to install on may be missing: an installed machine needs none. */
function errorsOf(configuration: Configuration): readonly string[] {
  return validateConfiguration(configuration, { mode: 'cloud', local: true, isInstalled: true }).errors;
}
