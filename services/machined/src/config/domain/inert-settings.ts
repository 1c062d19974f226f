// What a call is told about settings that this node does not act on.
import { Fault } from '@nodewright/fault';
import { type InertTable, inertNotes, unkeptProtections } from '@nodewright/machine-config';
import { type DecodedConfiguration, effectiveOf } from '../../base/domain/machine-configuration.ts';
import type { World } from '../../base/domain/world.ts';
import { unaskedWarning } from '../../time/domain/askable-servers.ts';

type Place = Pick<World, 'name' | 'ownsClock' | 'refusesUnkeptProtections'>;

/** A refusal that names more than this is no easier to act on. */
const maxNames = 20;

/**
 * Warnings about settings that nothing on this node acts on.
 *
 * @throws Fault `invalid-argument` for protections that this node refuses, because a user would rely on them
 */
export function checkInertSettings(
  configuration: DecodedConfiguration,
  { name, ownsClock, refusesUnkeptProtections }: Place,
  table: InertTable,
): readonly string[] {
  const { documents } = configuration;
  const unkept = refusesUnkeptProtections ? unkeptProtections(documents) : [];
  if (unkept.length > 0) throw unkeptFault(unkept);
  const notes = inertNotes(documents, { node: name, subject: 'this node does not act on', table });
  const { time } = effectiveOf(configuration);
  const unasked = ownsClock && !time.disabled ? unaskedWarning(time) : undefined;
  return unasked === undefined ? notes : [...notes, unasked];
}

function unkeptFault(unkept: readonly string[]): Fault {
  const left = unkept.length - maxNames;
  const lines = [...unkept.slice(0, maxNames), ...(left > 0 ? [`and ${left} more`] : [])];
  return new Fault(
    'invalid-argument',
    `this node would not protect what the configuration says it does: nothing acts on\n${lines.map((line) => `\t* ${line}\n`).join('')}`,
  );
}
