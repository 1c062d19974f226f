import type { ShownConfiguration } from '../../protocol/calls.ts';

/** A configuration that the user edits. */
export interface Draft {
  /** The configuration of the node that the user began with. */
  readonly base: ShownConfiguration;
  readonly text: string;
  /** The text that the node was asked to try last, and the version of the configuration that came of it. */
  readonly tried?: ShownConfiguration;
}

/** What the editor has: the draft of the user, or the configuration of the node while the user has changed nothing. */
export function draftOf(kept: Draft | undefined, active: ShownConfiguration): Draft {
  const isUntouched =
    kept === undefined || (kept.text === kept.base.text && kept.tried?.version !== active.version);
  return isUntouched ? { base: active, text: active.text } : kept;
}

/**
 * Whether the node has another configuration than the one that the user began with, and not because it tries this draft. Such a draft
 * would undo the change of somebody else.
 */
export function isOutdated({ base, tried }: Draft, active: ShownConfiguration): boolean {
  return active.version !== base.version && active.version !== tried?.version;
}

/** The same text, as a change of the configuration that the node has now. */
export function rebased({ text }: Draft, active: ShownConfiguration): Draft {
  return { base: active, text };
}
