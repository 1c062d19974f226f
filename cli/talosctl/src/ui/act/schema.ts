import { documentKinds, fieldPaths, legacyKind } from '@nodewright/machine-config';
import { fieldReference } from '@nodewright/machine-config/reference';
import type { SchemaAnswer, SchemaField } from '../protocol/calls.ts';

/** The schema of all kinds of documents, for completion. */
export function readSchema(): SchemaAnswer {
  return { kinds: documentKinds.map(describeKind) };
}

function describeKind(kind: string): SchemaAnswer['kinds'][number] {
  const reference = fieldReference(kind);
  const fields = fieldPaths(kind).map(({ path, field }): SchemaField => {
    const { help = '', isRequired = false, default: preset, notApplied } = reference.get(path) ?? {};
    return {
      ...{ path, type: field.type, values: field.values, help, isRequired },
      ...{ default: preset, notApplied: notApplied?.text },
    };
  });
  return { kind: kind === legacyKind ? '' : kind, help: reference.get('')?.help ?? '', fields };
}
