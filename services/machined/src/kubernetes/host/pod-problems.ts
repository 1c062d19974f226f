import type { ComponentName } from '@nodewright/node-files';
import type { PodProblem } from '../domain/pod-status.ts';

interface Reported {
  readonly settings: string;
  readonly problem: PodProblem;
}

/** What is wrong with the components of this node, as their services report it. */
export class PodProblems {
  readonly #reported = new Map<ComponentName, Reported>();
  readonly #listeners = new Set<() => void>();

  /** The problem of a component with a pod of these settings. One of earlier settings does not count any more. */
  of(component: ComponentName, settings: string): PodProblem | undefined {
    const found = this.#reported.get(component);
    return found?.settings === settings ? found.problem : undefined;
  }

  /** Replaces the problem of a component; `undefined` when it has none. */
  report(component: ComponentName, settings: string, problem: PodProblem | undefined): void {
    if (problem === undefined) this.#reported.delete(component);
    else this.#reported.set(component, { settings, problem });
    for (const listener of this.#listeners) listener();
  }

  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }
}
