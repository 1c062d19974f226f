import { ChangeSignal } from '@nodewright/async';

/** A kubelet replaces a static pod as soon as it is published. This decides when the pod of the API server is. */
export class PodGrant {
  readonly #changed = new ChangeSignal();
  readonly #listeners = new Set<() => void>();
  #wanted: string | undefined;
  #published: string | undefined;
  #granted: string | undefined;

  /** Identifies the pod that the configuration asks for; `undefined` when it asks for none. */
  get wanted(): string | undefined {
    return this.#wanted;
  }

  /** Identifies the pod that the kubelet is given. */
  get published(): string | undefined {
    return this.#published;
  }

  /** Whether a pod may be published although another one is. */
  allows(settings: string): boolean {
    return this.#granted === settings;
  }

  /** Records what the configuration asks for and what was published. */
  update(wanted: string | undefined, published: string | undefined): void {
    if (wanted === this.#wanted && published === this.#published) return;
    this.#wanted = wanted;
    this.#published = published;
    this.#notify();
  }

  /** Allows the wanted pod, and resolves when it is published, when the configuration changes, or when `signal` aborts. */
  async grant(signal: AbortSignal): Promise<void> {
    const settings = this.#wanted;
    this.#granted = settings;
    this.#notify();
    while (this.#wanted === settings && this.#published !== settings && !signal.aborted)
      await this.#changed.next(signal);
  }

  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  #notify(): void {
    this.#changed.notify();
    for (const listener of this.#listeners) listener();
  }
}
