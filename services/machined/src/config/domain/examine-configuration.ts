// Does all slow work on a machine configuration. Arguments and result are plain data, so that a worker thread
// can run it.
import { faultFrom } from '@nodewright/fault';
import type { InertTable } from '@nodewright/machine-config';
import {
  type DecodedConfiguration,
  decodeConfiguration,
  effectiveOf,
} from '../../base/domain/machine-configuration.ts';
import type { World } from '../../base/domain/world.ts';
import { configurationDifference } from './configuration-difference.ts';
import { checkInertSettings } from './inert-settings.ts';
import { validateForNode } from './validate-for-node.ts';

/** What of its world decides about a configuration. */
export type NodePlace = Pick<World, 'name' | 'configuredAs' | 'ownsClock' | 'refusesUnkeptProtections'>;

export interface ExamineRequest {
  readonly text: string;
  readonly world: NodePlace;
  /** Whether the text was read from this node's disk. */
  readonly isStored?: boolean;
  /** Set for a call, which is told what nothing on this node acts on. A text that the node itself found is logged without that. */
  readonly inertTable?: InertTable;
  /** Set when the caller also needs the difference from the active configuration. */
  readonly difference?: {
    /** The text of the active configuration; `undefined` when none is active. */
    readonly before: string | undefined;
    readonly showSecrets: boolean;
  };
}

export interface ExaminedConfiguration {
  /**
   * If a difference was requested, its documents may have only their kinds: a dry run does not activate it.
   */
  readonly configuration: DecodedConfiguration;
  readonly warnings: readonly string[];
  /** Why the node must refuse the configuration although it could be decoded. */
  readonly refusal?: string;
  /** The difference; empty when nothing changes. */
  readonly difference?: string;
}

type Validate = typeof validateForNode;

/** Longer error messages are cut, because they travel in the headers of a response. */
const maxMessageLength = 6000;

/**
 * Decodes a configuration, validates it for this node and compares it. A refusal is a value, because the
 * caller may have to report another error first.
 *
 * @throws Fault `invalid-argument` when it cannot be decoded
 */
export function examineConfiguration(
  request: ExamineRequest,
  validate: Validate = validateForNode,
): ExaminedConfiguration {
  const { text, world, isStored = false, difference, inertTable } = request;
  const configuration = decodeConfiguration(text, { isStored });
  try {
    const warnings = [
      ...validate(configuration, world, { isStored }).map(shortened),
      ...(inertTable === undefined ? [] : checkInertSettings(configuration, world, inertTable)),
    ];
    if (difference === undefined) return { configuration: withValues(configuration), warnings };
    const before =
      difference.before === undefined
        ? undefined
        : decodeConfiguration(difference.before, { isStored: true });
    return {
      configuration: withValues(configuration),
      warnings,
      difference: configurationDifference(before, configuration, difference),
    };
  } catch (error) {
    const { kind, message } = faultFrom(error);
    if (kind !== 'invalid-argument') throw error;
    return { configuration, warnings: [], refusal: shortened(message) };
  }
}

function withValues(configuration: DecodedConfiguration): DecodedConfiguration {
  return { ...configuration, effective: effectiveOf(configuration) };
}

/** Keeps the first lines of a long error message. */
export function shortened(message: string): string {
  if (message.length <= maxMessageLength) return message;
  const end = message.lastIndexOf('\n', maxMessageLength);
  const kept = message.slice(0, end > 0 ? end : maxMessageLength);
  const left = message
    .slice(kept.length)
    .split('\n')
    .filter((line) => line.trim() !== '').length;
  return `${kept}\n\t* and ${left} more lines\n`;
}
