// A machine to upgrade whose work a test ends.
import type { SystemRequest, Upgrades } from '../../upgrade/domain/upgrades.ts';

export class FakeUpgrades implements Upgrades {
  /** The calls, in order. */
  readonly calls: unknown[] = [];
  /** The runs that have begun and not ended. */
  running = 0;
  installed = true;
  /** Something runs that no call has begun. */
  busy = false;
  /** Why the next call fails at once. */
  failure: Error | undefined;
  /** How often the next start was given the running system again. */
  disarms = 0;
  #end = Promise.withResolvers<void>();
  #report: ((line: string) => void) | undefined;

  isInstalled(): boolean {
    return this.installed;
  }

  isBusy(): boolean {
    return this.busy;
  }

  upgrade(request: SystemRequest, report: (line: string) => void): Promise<void> {
    this.calls.push(['upgrade', request]);
    return this.#run(report);
  }

  install(
    request: SystemRequest & { readonly disk: string; readonly wipes: boolean },
    report: (line: string) => void,
  ): Promise<void> {
    this.calls.push(['install', request]);
    return this.#run(report);
  }

  async stage(request: SystemRequest): Promise<void> {
    this.calls.push(['stage', request]);
    if (this.failure !== undefined) throw this.failure;
  }

  async rollback(): Promise<void> {
    this.calls.push(['rollback']);
    if (this.failure !== undefined) throw this.failure;
  }

  async disarm(): Promise<void> {
    this.disarms += 1;
  }

  report(line: string): void {
    this.#report?.(line);
  }

  end(failure?: Error): void {
    if (failure === undefined) this.#end.resolve();
    else this.#end.reject(failure);
  }

  async #run(report: (line: string) => void): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    this.running += 1;
    this.#report = report;
    this.#end = Promise.withResolvers();
    try {
      await this.#end.promise;
    } finally {
      this.running -= 1;
    }
  }
}
