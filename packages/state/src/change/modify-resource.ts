import { isDeepStrictEqual } from 'node:util';
import { faultFrom } from '@nodewright/fault';
import { phaseConflict } from '../faults.ts';
import type { Metadata, NewResource, Pointer, Resource } from '../resource.ts';
import type { State, UpdateOptions, WriteOptions } from '../state.ts';

/** What of a resource a writer may change. */
export interface Changes<S> {
  readonly spec?: S;
  readonly metadata?: Partial<Pick<Metadata, 'labels' | 'annotations' | 'finalizers'>>;
}

/** What is to become of a resource, given as it is. It may be called several times. */
export type Change<S> = (current: Resource<S>) => Changes<S>;

/**
 * Changes a resource that exists. Nothing is written when nothing changes, though the phase must be the expected one
 * (default `running`); when somebody else was quicker, the change is made to what they wrote.
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
      // The store refuses it for another reason than that somebody was quicker.
      if (now.version === metadata.version && now.createdMs === metadata.createdMs) throw error;
    }
  }
}

/**
 * Makes a resource what it should be: creates it, or changes its spec and what of the metadata is given. Nothing is
 * written when it is that already.
 *
 * @throws Fault `permission-denied` when it is another's, `invalid-argument` when it is being torn down
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
