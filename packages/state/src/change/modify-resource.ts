import { isDeepStrictEqual } from 'node:util';
import { faultFrom } from '@nodewright/fault';
import { phaseConflict } from '../faults.ts';
import type { Metadata, NewResource, Pointer, Resource } from '../resource.ts';
import type { State, UpdateOptions, WriteOptions } from '../state.ts';

/** The parts of a resource that a writer may change. */
export interface Changes<S> {
  readonly spec?: S;
  readonly metadata?: Partial<Pick<Metadata, 'labels' | 'annotations' | 'finalizers'>>;
}

/** Computes the changes from the current resource. It may be called several times. */
export type Change<S> = (current: Resource<S>) => Changes<S>;

/**
 * Changes an existing resource. Nothing is written when the change has no effect, but the phase must still be
 * the expected one (default `running`). After a conflict with another writer, the change is computed again
 * from the stored resource.
 */
export async function updateResource<S>(
  state: State,
  pointer: Pointer<S>,
  change: Change<S>,
  options: UpdateOptions = {},
): Promise<Resource<S>> {
  const { expectedPhase = 'running' } = options;
  for (;;) {
    const current = await state.get(pointer);
    const { metadata } = current;
    if (expectedPhase !== 'any' && metadata.phase !== expectedPhase)
      throw phaseConflict(metadata, expectedPhase);
    const changes = change(current);
    const changed: Resource<S> = {
      metadata: { ...metadata, ...changes.metadata },
      spec: 'spec' in changes ? (changes.spec as S) : current.spec,
    };
    if (isDeepStrictEqual(changed, current)) return current;
    try {
      const expectedCreatedMs = metadata.createdMs;
      return await state.update(changed, { ...options, expectedPhase, expectedCreatedMs });
    } catch (error) {
      if (faultFrom(error).kind !== 'failed-precondition') throw error;
      const { metadata: now } = await state.get(pointer);
      // The stored resource is unchanged, so the update was not refused because of another writer.
      if (now.version === metadata.version && now.createdMs === metadata.createdMs) throw error;
    }
  }
}

/**
 * Creates a resource, or updates its spec and the given parts of its metadata. Nothing is written when the
 * stored resource is already equal.
 *
 * @throws Fault `permission-denied` when it has another owner, `invalid-argument` when it is being torn down
 */
export async function putResource<S>(
  state: State,
  wanted: NewResource<S>,
  options: WriteOptions = {},
): Promise<Resource<S>> {
  const { spec, labels, annotations, finalizers } = wanted;
  const metadata = {
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(finalizers && { finalizers }),
  };
  for (;;) {
    try {
      return await updateResource(state, wanted, () => ({ spec, metadata }), options);
    } catch (error) {
      if (faultFrom(error).kind !== 'not-found') throw error;
    }
    try {
      return await state.create(wanted, options);
    } catch (error) {
      if (faultFrom(error).kind !== 'already-exists') throw error;
    }
  }
}
