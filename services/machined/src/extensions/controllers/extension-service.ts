import {
  type Controller,
  FailedStarts,
  type FollowingService,
  type ReconcilePass,
  strong,
} from '@nodewright/controllers';
import { extensionServiceConfigStatuses } from '@nodewright/state/kinds';

/** The extension services of the node. */
export interface ExtensionServices {
  /** Declares the services of all files, and starts them. */
  load(): Promise<readonly LoadedService[]>;
  /** Stops a service, and starts it with its configuration of now. */
  restart(name: string): Promise<void>;
  /** Starts a service that has failed. */
  start(name: string): void;
  /** Whether a service failed before it ran. Its own policy decides what follows its end. */
  failureOf(name: string): Required<Pick<FollowingService, 'hasFailed' | 'onFailure'>>;
}

export interface LoadedService {
  readonly name: string;
  /** It waits for its configuration before it starts. */
  readonly waitsForConfiguration: boolean;
}

export interface ExtensionServiceController extends Controller {
  /** Until then no service is loaded. */
  begin(): void;
}

/**
 * Loads the extension services once, and restarts a service when its configuration changes, appears or is removed. A service that failed
 * before it ran starts again after a pause. Source: Talos v1.14: ExtensionServiceConfig document.
 */
export function extensionServiceController(services: ExtensionServices): ExtensionServiceController {
  let mayLoad = false;
  let wake = () => {};
  let loaded: readonly LoadedService[] | undefined;
  /** The versions that the services were started with. */
  let versions = new Map<string, string>();
  const starts = new Map<string, FailedStarts>();
  let listeners: AsyncDisposableStack | undefined;
  const listen = () => {
    for (const { name } of loaded ?? []) listeners?.use(services.failureOf(name).onFailure(wake));
  };
  const startAgain = (name: string, pass: ReconcilePass) => {
    const failedStarts = starts.get(name);
    if (failedStarts === undefined || !services.failureOf(name).hasFailed()) return;
    const settings = versions.get(name);
    const pauseMs = failedStarts.pauseMs(settings, pass.monotonicMs());
    if (pauseMs > 0) return pass.wakeAfter(pauseMs);
    failedStarts.started(settings, pass.monotonicMs());
    services.start(name);
  };
  return {
    name: 'runtime.ExtensionServiceController',
    inputs: [strong(extensionServiceConfigStatuses)],
    outputs: [],
    open(source, scope) {
      wake = () => source.wake();
      listeners = scope;
      listen();
    },
    begin() {
      mayLoad = true;
      wake();
    },
    async reconcile(pass) {
      if (!mayLoad) return;
      const found = (await pass.list(extensionServiceConfigStatuses))
        .filter(({ metadata }) => metadata.phase === 'running')
        .map(({ metadata, spec }) => [metadata.id, spec.specVersion] as const);
      const before = versions;
      versions = new Map(found);
      if (loaded === undefined) {
        loaded = await services.load();
        for (const { name } of loaded) starts.set(name, new FailedStarts());
        for (const [name, each] of starts) each.started(versions.get(name), pass.monotonicMs());
        listen();
        // One may have failed already.
        wake();
        return;
      }
      const changed = loaded.filter(
        ({ name, waitsForConfiguration }) =>
          before.get(name) !== versions.get(name) && (before.has(name) || !waitsForConfiguration),
      );
      for (const { name } of changed) starts.get(name)?.started(versions.get(name), pass.monotonicMs());
      await Promise.all(changed.map(({ name }) => services.restart(name)));
      for (const { name } of loaded) startAgain(name, pass);
    },
  };
}
