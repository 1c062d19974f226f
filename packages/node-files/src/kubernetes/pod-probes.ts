import type { JsonObject } from '@nodewright/state';
import type {
  ApiServerConfigSpec,
  ControllerManagerConfigSpec,
  SchedulerConfigSpec,
} from '@nodewright/state/kinds';
import { versionOfImage } from './image-version.ts';

export interface ComponentProbes {
  readonly startupProbe?: JsonObject;
  readonly livenessProbe?: JsonObject;
  readonly readinessProbe?: JsonObject;
}

interface Times {
  readonly initialDelaySeconds?: number;
  readonly periodSeconds?: number;
  readonly failureThreshold?: number;
}

/** Ports of health checks. Source: Kubernetes: ports and protocols. */
const ports = { controllerManager: 10257, scheduler: 10259 } as const;

const probe = (port: number, path: string, times: Times = {}): JsonObject => ({
  httpGet: { host: 'localhost', path, port, scheme: 'HTTPS' },
  timeoutSeconds: 15,
  ...times,
});

/** The health checks of each component, all by HTTPS. Source: Talos v1.14: static pods, probes. */
export const componentProbes = {
  /** The API server answers health checks without credentials only if its authentication is configured by document. */
  apiServer({ startupProbesEnabled, localPort }: ApiServerConfigSpec): ComponentProbes {
    if (!startupProbesEnabled) return {};
    const slow = { initialDelaySeconds: 10, periodSeconds: 10 };
    return {
      startupProbe: probe(localPort, '/livez', { ...slow, failureThreshold: 24 }),
      livenessProbe: probe(localPort, '/livez', { ...slow, failureThreshold: 8 }),
      readinessProbe: probe(localPort, '/readyz', { periodSeconds: 1, failureThreshold: 3 }),
    };
  },
  controllerManager(_spec: ControllerManagerConfigSpec): ComponentProbes {
    const port = ports.controllerManager;
    return {
      startupProbe: probe(port, '/healthz', { periodSeconds: 5, failureThreshold: 12 }),
      livenessProbe: probe(port, '/healthz'),
    };
  },
  /** Before 1.31 the scheduler has a single check. */
  scheduler({ image }: SchedulerConfigSpec): ComponentProbes {
    const isOld = versionOfImage(image).minor < 31;
    const [live, ready] = isOld ? ['/healthz', '/healthz'] : ['/livez', '/readyz'];
    const port = ports.scheduler;
    return {
      startupProbe: probe(port, live, { periodSeconds: 5, failureThreshold: 12 }),
      livenessProbe: probe(port, live),
      readinessProbe: probe(port, ready),
    };
  },
} as const;
