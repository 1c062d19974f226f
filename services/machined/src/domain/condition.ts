/** Something that a service waits for before it starts. */
export interface Condition {
  /** How `Waiting for ...` names it. */
  readonly text: string;
  isMet(): boolean;
  /** Resolves once it is met. */
  readonly met: Promise<void>;
}

/** A condition that is met by a call. */
export class Latch implements Condition {
  readonly text: string;
  readonly #done = Promise.withResolvers<void>();
  #isMet = false;

  constructor(text: string) {
    this.text = text;
  }

  meet(): void {
    this.#isMet = true;
    this.#done.resolve();
  }

  isMet(): boolean {
    return this.#isMet;
  }

  get met(): Promise<void> {
    return this.#done.promise;
  }
}

/** `Waiting for a, b`: the conditions that are not met yet; undefined when all are. */
export function waitingText(conditions: readonly Condition[]): string | undefined {
  const open = conditions.filter((condition) => !condition.isMet()).map(({ text }) => text);
  return open.length === 0 ? undefined : `Waiting for ${open.join(', ')}`;
}
