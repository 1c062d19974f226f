import type { FollowingService } from '@nodewright/controllers';
import type { ServiceDefinition } from './service.ts';
import type { ServiceManager } from './service-manager.ts';

export interface DeclaredServiceInit {
  readonly services: Pick<ServiceManager, 'declare' | 'start' | 'stop' | 'failureOf'>;
  readonly id: string;
  /**
   * Makes the definition of the service, and opens what it needs. It is called at the first start, and again after it
   * threw or rejected.
   */
  readonly define: () => ServiceDefinition | Promise<ServiceDefinition>;
}

/** A service that is declared at its first start: until then it is in no list of services, and nothing is open for it. */
export interface DeclaredService
  extends Required<Pick<FollowingService, 'start' | 'stop' | 'hasFailed' | 'onFailure'>> {
  /** Whether it was started once. */
  readonly isDeclared: boolean;
}

/**
 * Lets a controller start and stop a service that is declared at its first start. A `define` that returns no promise
 * makes `start()` synchronous, so that the service starts, or the error is thrown, before it returns.
 */
export function declaredService({ services, id, define }: DeclaredServiceInit): DeclaredService {
  let isDeclared = false;
  let pending: Promise<void> | undefined;
  let isStopped = false;
  const declare = (definition: ServiceDefinition) => {
    services.declare([definition]);
    isDeclared = true;
    // It was stopped while its definition was made.
    if (!isStopped) services.start([id]);
  };
  return {
    get isDeclared() {
      return isDeclared;
    },
    start() {
      isStopped = false;
      if (isDeclared) return services.start([id]);
      if (pending !== undefined) return pending;
      const definition = define();
      if (!(definition instanceof Promise)) return declare(definition);
      pending = definition.then(declare).finally(() => {
        pending = undefined;
      });
      return pending;
    },
    stop() {
      isStopped = true;
      return services.stop([id]);
    },
    ...services.failureOf(id),
  };
}
