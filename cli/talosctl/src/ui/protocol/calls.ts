// Requests of the page that are not subscriptions, and their answers. This file has types only, and both sides import it.
import type { ActionEffect, PlannedAction } from '@nodewright/client/what-if/pure';

/** A field of the schema of a kind of document. */
export interface SchemaField {
  /** Dotted path; `[]` means the elements of a list, `*` the values of a map. */
  readonly path: string;
  readonly type: string;
  /** The values of an enumeration. */
  readonly values: readonly string[];
  readonly help: string;
  readonly isRequired: boolean;
  /** What counts while the field is not set. */
  readonly default?: string | undefined;
  /** What nodes do not do with the field yet. */
  readonly notApplied?: string | undefined;
}

/** Answer of `schema`: all kinds of documents. The empty kind is the document without `kind`. */
export interface SchemaAnswer {
  readonly kinds: readonly {
    readonly kind: string;
    readonly help: string;
    readonly fields: readonly SchemaField[];
  }[];
}

/** The active configuration of a node, without secrets. */
export interface ShownConfiguration {
  readonly text: string;
  /** Equal texts have equal versions. */
  readonly version: string;
}

/** A fault of a text, and where it is, counted from 1. */
export interface Finding {
  readonly message: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** Answer of `check`. */
export interface CheckAnswer {
  readonly errors: readonly Finding[];
  readonly warnings: readonly string[];
}

/** Answer of `difference`: a dry run on the node. */
export interface DifferenceAnswer {
  /** The active configuration and the edited one, encoded in the same way, without secrets. */
  readonly before: string;
  readonly after: string;
  /** What the node would do. */
  readonly details: string;
  readonly warnings: readonly string[];
  /** Why the node refuses the text, or could not be asked. */
  readonly refusal?: string | undefined;
}

/** A line of a proof. `named` and `form` have a cause; `unnamed` is a difference without one. */
export interface ProofLine {
  readonly cause: 'named' | 'form' | 'unnamed';
  readonly line: string;
}

/** Answer of `convert`. Nothing is sent to the node. No line has a value of the configuration. */
export interface ConversionAnswer {
  /** The text before and after, encoded in the same way, without secrets. */
  readonly before: string;
  readonly after: string;
  /** What the conversion wrote out, kept, changed and left out. */
  readonly notes: readonly string[];
  /** What a node would make of both. */
  readonly proof: {
    /** Whether every difference has a named cause. */
    readonly isProven: boolean;
    readonly differences: readonly ProofLine[];
    readonly unproven: readonly string[];
    /** How many files are equal byte by byte. */
    readonly equalFiles: number;
  };
}

/** Answer of `try`. */
export interface TryAnswer {
  /** The configuration that the node tries. */
  readonly tried: ShownConfiguration;
}

/** A configuration that a node tries. */
export interface Trial {
  readonly node: string;
  readonly state: 'tried' | 'keeping' | 'kept' | 'reverting' | 'reverted' | 'replaced' | 'unknown';
  /** Time until the node reverts it, when this was sent. */
  readonly leftMs: number;
  /** Why it could not be kept, or why its end is not known. */
  readonly problem?: string | undefined;
}

/** An action on the member of etcd of a node. Each is a command `talosctl etcd`. */
export type EtcdAction =
  | { readonly kind: 'etcd'; readonly verb: 'leave' | 'forfeit-leadership' | 'defrag' | 'disarm' }
  | { readonly kind: 'etcd'; readonly verb: 'remove-member'; readonly member: string };

export type PageAction = Exclude<PlannedAction, { kind: 'upgrade' }> | EtcdAction;

/** Answer of `effect`. */
export interface EffectAnswer {
  /** The effect as the command line says it, one sentence per line. */
  readonly lines: readonly string[];
  /** What stops on each node. */
  readonly stops: readonly string[];
  /** Quorum, services and refusals; undefined for actions of etcd. */
  readonly effect?: Pick<ActionEffect, 'nodes' | 'quorum'> | undefined;
  /** The question of the command line. */
  readonly question: string;
  /** What the user must type; undefined where an answer with yes is enough. */
  readonly typed?: string | undefined;
}

/** An action that was started. */
export interface ActionState {
  readonly id: number;
  /** The words of its command: `service apid restart`. */
  readonly name: string;
  readonly startedMs: number;
  readonly nodes: readonly {
    readonly node: string;
    readonly state: 'running' | 'done' | 'failed';
    /** The last step, or why it failed. */
    readonly message: string;
    /** The call that caused the events of the action on the node. */
    readonly actor?: string | undefined;
  }[];
}
