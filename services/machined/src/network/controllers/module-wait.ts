import { describeStep, type NetworkStep } from '../domain/network-step.ts';

/** A step that the kernel has refused. */
export interface RefusedStep {
  readonly step: NetworkStep;
  readonly message: string;
}

/** How long the module of a kind of links may take to be loaded, once a link of this kind was refused. */
const loadingMs = 5000;
/** As the kernel says that it has no links of a kind, or not with these options. */
const unsupported = /\bENOTSUP\b/;

/**
 * Links whose module is still being loaded: it is asked for at the same time as the link. That they cannot be made is no problem yet, such
 * as one for which other links come up.
 */
export class ModuleWait {
  /** When a link of a kind was refused first. */
  readonly #sinceMs = new Map<string, number>();

  /** Whether the step may succeed soon. */
  isLoading({ step, message }: RefusedStep, nowMs: number): boolean {
    if (!('creation' in step) || !unsupported.test(message)) return false;
    return nowMs - (this.#sinceMs.get(step.creation.kind) ?? nowMs) < loadingMs;
  }

  /** The refused steps of a plan in words: those that may succeed soon, and the others. */
  sort(
    refused: readonly RefusedStep[],
    nowMs: number,
  ): { readonly loading: readonly string[]; readonly failures: readonly string[] } {
    const kinds = new Set(refused.flatMap(({ step }) => ('creation' in step ? [step.creation.kind] : [])));
    for (const kind of this.#sinceMs.keys()) if (!kinds.has(kind)) this.#sinceMs.delete(kind);
    for (const kind of kinds) if (!this.#sinceMs.has(kind)) this.#sinceMs.set(kind, nowMs);
    const loading: string[] = [];
    const failures: string[] = [];
    for (const each of refused) {
      const { step, message } = each;
      if ('creation' in step && this.isLoading(each, nowMs))
        loading.push(
          `link ${step.creation.name}: the module of the kernel for links of the kind ${step.creation.kind} is being loaded`,
        );
      else failures.push(`${describeStep(step)}: ${reasonOf(step, message)}`);
    }
    return { loading, failures };
  }
}

function reasonOf(step: NetworkStep, message: string): string {
  return 'creation' in step && unsupported.test(message)
    ? `the kernel has no such links, or not with these options: ${message}`
    : message;
}
