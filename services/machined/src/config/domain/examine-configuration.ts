// All that takes long about a machine configuration, in one function of plain data: a worker can carry it out.
import { faultFrom } from '@nodewright/fault';
import {
  type DecodedConfiguration,
  decodeConfiguration,
  effectiveOf,
} from '../../base/domain/machine-configuration.ts';
import type { World } from '../../base/domain/world.ts';
import { configurationDifference } from './configuration-difference.ts';
import { validateForNode } from './validate-for-node.ts';

export interface ExamineRequest {
  readonly text: string;
  readonly world: Pick<World, 'configuredAs'>;
  /** It was found on this node's disk. */
  readonly isStored?: boolean;
  /** Set: how it differs from what is in force is wanted too. */
  readonly difference?: {
    /** Undefined: nothing is in force. */
    readonly before: string | undefined;
    readonly showSecrets: boolean;
  };
}

export interface ExaminedConfiguration {
  /** Where the difference was wanted its documents may have their kinds alone: it is not meant to come into force. */
  readonly configuration: DecodedConfiguration;
  readonly warnings: readonly string[];
  /** Why the node must not use it, though it could be read. */
  readonly refusal?: string;
  /** Empty when there is none. */
  readonly difference?: string;
}

type Validate = typeof validateForNode;

/** Longer complaints are cut: they travel in the headers of a reply. */
const maxComplaintLength = 6000;

/**
 * Reads a configuration, judges it for this node and compares it. A refusal is a value, because other reasons to refuse
 * may come first. @throws Fault `invalid-argument` when it cannot be read
 */
export function examineConfiguration(
  request: ExamineRequest,
  validate: Validate = validateForNode,
): ExaminedConfiguration {
  const { text, world, isStored = false, difference } = request;
  const configuration = decodeConfiguration(text);
  try {
    const warnings = validate(configuration, world, { isStored });
    if (difference === undefined) return { configuration: withValues(configuration), warnings };
    const before = difference.before === undefined ? undefined : decodeConfiguration(difference.before);
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

/** Of a complaint with very many lines those at its beginning. */
export function shortened(message: string): string {
  if (message.length <= maxComplaintLength) return message;
  const end = message.lastIndexOf('\n', maxComplaintLength);
  const kept = message.slice(0, end > 0 ? end : maxComplaintLength);
  const left = message
    .slice(kept.length)
    .split('\n')
    .filter((line) => line.trim() !== '').length;
  return `${kept}\n\t* and ${left} more lines\n`;
}
