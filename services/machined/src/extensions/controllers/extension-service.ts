import { type Controller, strong } from '@nodewright/controllers';
import { extensionServiceConfigStatuses } from '@nodewright/state/kinds';

/** The extension services of the node. */
export interface ExtensionServices {
  /** Declares the services of all files, and starts them. */
  load(): Promise<readonly LoadedService[]>;
  /** Stops a service, and starts it with its configuration of now. */
  restart(name: string): Promise<void>;
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
 * Loads the extension services once, and restarts a service when its configuration changes, appears or is removed. Source: Talos
 * v1.14: ExtensionServiceConfig document.
 */
export function extensionServiceController(services: ExtensionServices): ExtensionServiceController {
  let mayLoad = false;
  let wake = () => {};
  let loaded: readonly LoadedService[] | undefined;
  /** The versions that the services were started with. */
  let versions = new Map<string, string>();
  return {
    name: 'runtime.ExtensionServiceController',
    inputs: [strong(extensionServiceConfigStatuses)],
    outputs: [],
    open(source) {
      wake = () => source.wake();
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
        return;
      }
      const changed = loaded.filter(
        ({ name, waitsForConfiguration }) =>
          before.get(name) !== versions.get(name) && (before.has(name) || !waitsForConfiguration),
      );
      await Promise.all(changed.map(({ name }) => services.restart(name)));
    },
  };
}
