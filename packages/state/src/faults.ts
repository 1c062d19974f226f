// The faults of calls to a state. Each kind maps to a gRPC code.
import { Fault } from '@nodewright/fault';
import { type Metadata, type Phase, type Pointer, resourceText } from './resource.ts';

const textOf = (metadata: Metadata) => resourceText(metadata, metadata.version);

export function notFound(pointer: Pointer): Fault {
  return new Fault('not-found', `resource ${resourceText(pointer)} doesn't exist`);
}

export function alreadyExists(stored: Metadata): Fault {
  return new Fault('already-exists', `resource ${textOf(stored)} already exists`);
}

export function ownerConflict(stored: Metadata, owner: string): Fault {
  return new Fault(
    'permission-denied',
    `resource ${textOf(stored)} is owned by "${stored.owner}", not by "${owner}"`,
  );
}

export function versionConflict(stored: Metadata, expected: number): Fault {
  return new Fault(
    'failed-precondition',
    `resource ${textOf(stored)} update conflict: expected version "${expected || 'undefined'}", actual version "${stored.version}"`,
  );
}

export function remadeConflict(stored: Metadata): Fault {
  return new Fault(
    'failed-precondition',
    `resource ${textOf(stored)} update conflict: it was destroyed and created again meanwhile`,
  );
}

export function phaseConflict(stored: Metadata, expected: Phase): Fault {
  return new Fault(
    'invalid-argument',
    `resource ${textOf(stored)} is not in phase "${expected}" but in phase "${stored.phase}"`,
  );
}

export function revivalConflict(stored: Metadata): Fault {
  return new Fault(
    'failed-precondition',
    `resource ${textOf(stored)} is being torn down and cannot be "running" again`,
  );
}

export function pendingFinalizers(stored: Metadata): Fault {
  return new Fault(
    'failed-precondition',
    `resource ${textOf(stored)} has pending finalizers [${stored.finalizers.join(' ')}]`,
  );
}

export function invalidBookmark(): Fault {
  return new Fault(
    'failed-precondition',
    'the bookmark is unknown or its events are gone: watch again with the contents',
  );
}

export function overrunMessage({ namespace, type }: { namespace: string; type: string }): string {
  return `buffer overrun: namespace "${namespace}", type "${type}": more events came than are kept for a slow reader`;
}
