import type { NodeClient } from '@nodewright/client';
import { Fault } from '@nodewright/fault';
import {
  convertConfigurationText,
  formatNote,
  parseConversionTarget,
  unnamedChanges,
} from '@nodewright/machine-config';
import type { ConversionAnswer } from '../protocol/calls.ts';
import { readEdited, validationOf } from './edit-configuration.ts';
import type { NodeConfigurations } from './node-configurations.ts';

/** A text of the editor, and the release to whose form it is converted. */
export interface WantedConversion {
  /** The edited text, without secrets. */
  readonly text: string;
  /** As `talosctl machineconfig convert --to` has it. */
  readonly to: string;
}

/**
 * Converts an edited text, and proves what nodes make of both. Nothing is sent to the node. Positions are left out, because they are those
 * of the text with its secrets and comments, which the page does not have.
 *
 * @throws Fault `invalid-argument` for a text that is not valid; `internal` for a conversion that changes something without a note
 */
export async function convertText(
  configurations: NodeConfigurations,
  node: NodeClient,
  { text, to }: WantedConversion,
  signal: AbortSignal,
): Promise<ConversionAnswer> {
  const form = parseConversionTarget(to);
  const { edited } = await readEdited(configurations, node, text, signal);
  const { errors } = validationOf(edited.documents);
  if (errors.length > 0)
    throw new Fault('invalid-argument', `the text has faults, and is not converted: ${errors.join('; ')}`);
  const converted = convertConfigurationText(edited.text, { isStored: true, to: form });
  const { after, notes } = converted;
  const unnamed = unnamedChanges(converted).map(({ path, kind }) => `${path} would be ${kind}`);
  if (unnamed.length > 0)
    throw new Fault('internal', `the conversion is wrong; please report it: ${unnamed.join('; ')}`);
  configurations.takeConversion(node.name, converted);
  return {
    before: configurations.shown(edited.documents).text,
    after: configurations.shown(after).text,
    notes: notes.map((note) => formatNote(withoutPosition(note))),
    proof: await proofOf(converted),
  };
}

async function proofOf(
  converted: ReturnType<typeof convertConfigurationText>,
): Promise<ConversionAnswer['proof']> {
  const { formatDifference, formatUnproven, isProven, proveConfigurations } = await import(
    '@nodewright/node-files'
  );
  const proof = proveConfigurations(converted.before, converted.after, converted.notes);
  return {
    isProven: isProven(proof),
    differences: proof.differences.map((each) => ({ cause: each.cause, line: formatDifference(each) })),
    unproven: formatUnproven(proof.unproven.map(withoutPosition)),
    equalFiles: proof.equalFiles.length,
  };
}

function withoutPosition<T extends { readonly position?: string }>(value: T): Omit<T, 'position'> {
  const { position: _, ...rest } = value;
  return rest;
}
