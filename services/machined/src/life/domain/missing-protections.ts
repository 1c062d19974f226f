import { type Configuration, unkeptProtections } from '@nodewright/machine-config';
import type { DiagnosticSpec } from '@nodewright/state/kinds';

/** More names do not help to find the first. */
const maxNames = 20;

/**
 * A message if the configuration promises protections that no part of the node provides: calls refuse them, but one that
 * is stored must not keep the machine from its start. Undefined without any.
 */
export function missingProtections(documents: Configuration): DiagnosticSpec | undefined {
  const unkept = unkeptProtections(documents);
  if (unkept.length === 0) return undefined;
  const left = unkept.length - maxNames;
  return {
    message: 'the configuration promises protections that this node does not provide',
    details: [...unkept.slice(0, maxNames), ...(left > 0 ? [`and ${left} more`] : [])],
  };
}
