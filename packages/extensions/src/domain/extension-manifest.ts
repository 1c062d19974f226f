import { parse, type Tags } from 'yaml';
import { shown } from './entry-path.ts';
import { refused } from './refused.ts';
import { satisfiesConstraint } from './version-constraint.ts';

/** What the manifest says about the extension. */
export interface ExtensionMetadata {
  readonly name: string;
  readonly version: string;
  readonly author: string;
  readonly description: string;
  readonly compatibility: { readonly talos: { readonly version: string } };
  /** Such as the schematic of the image; empty if the manifest has no such field. */
  readonly extraInfo: string;
}

/** The layer with the index of kernel modules, among the layers of extensions. Source: Talos v1.14: extensions, from image to boot. */
export const indexLayerName = 'modules.dep';
/** It becomes part of a label of the node. Source: Kubernetes: labels. */
const nameForm = /^[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const anyControls = /[\x00-\x1f\x7f-\x9f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same, except tabs and ends of lines
const otherControls = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;

/**
 * Reads the text of an extension's `manifest.yaml`.
 *
 * @param version the version of this system, which the extension must be compatible with
 * @throws Fault `invalid-argument` with one line that says what is wrong. Source: Talos v1.14: extensions, manifest.
 */
export function extensionMetadata(text: string, version: string): ExtensionMetadata {
  const manifest = mapping(parseYaml(text));
  if (manifest.version !== 'v1alpha1') throw refused('version is not v1alpha1');
  const metadata = metadataFrom(mapping(manifest.metadata));
  const { name, compatibility } = metadata;
  if (name === '') throw refused('metadata.name is missing');
  if (!nameForm.test(name) || name === indexLayerName)
    throw refused(`metadata.name ${shown(name)} is not the name of an extension, such as "iscsi-tools"`);
  const constraint = compatibility.talos.version;
  if (!satisfiesConstraint(version, constraint))
    throw refused(`${name} is for Talos ${constraint}, and this is ${version}`);
  return metadata;
}

/** The metadata among unknown fields; those that are missing are empty. @throws Fault `invalid-argument` for a field that is no text */
export function metadataFrom(fields: Readonly<Record<string, unknown>>): ExtensionMetadata {
  return {
    name: textOf(fields, 'name'),
    version: textOf(fields, 'version'),
    author: textOf(fields, 'author'),
    description: textOf(fields, 'description', true),
    compatibility: { talos: { version: textOf(mapping(mapping(fields.compatibility).talos), 'version') } },
    extraInfo: textOf(fields, 'extraInfo', true),
  };
}

/** No field is a number, and a number forgets how it was written: a version 1.10 would be 1.1. */
const numberTags = ['tag:yaml.org,2002:int', 'tag:yaml.org,2002:float'];
const withoutNumbers = (tags: Tags) =>
  tags.filter((each) => typeof each === 'string' || !numberTags.includes(each.tag));

function parseYaml(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 0, logLevel: 'error', customTags: withoutNumbers });
  } catch (error) {
    const [line = ''] = error instanceof Error ? error.message.split('\n') : [];
    throw refused(line);
  }
}

const mapping = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** Another value than a text is refused: a constraint that is not understood must not pass. */
function textOf(fields: Readonly<Record<string, unknown>>, name: string, hasLines = false): string {
  const text = fields[name] ?? '';
  if (typeof text !== 'string') throw refused(`${name} is no text`);
  if ((hasLines ? otherControls : anyControls).test(text)) throw refused(`${name} has control characters`);
  return text;
}
