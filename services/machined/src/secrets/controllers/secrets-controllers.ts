import type { Controller } from '@nodewright/controllers';
import { Secret } from '@nodewright/fault';
import type { Telemetry } from '@nodewright/telemetry';
import { inSpan } from '../../base/host/in-span.ts';
import type { TimeWait } from '../domain/time-wait.ts';
import { askTrustd } from '../host/ask-trustd.ts';
import { requestCertificate } from '../host/request-certificate.ts';
import { ApiController, type AskForCertificate } from './api.ts';
import { createApiCertSansController } from './api-cert-sans.ts';
import { createApiServiceConfigController } from './api-service-config.ts';
import { createCertificateEndsController } from './certificate-ends.ts';
import { createMaintenanceCertSansController } from './maintenance-cert-sans.ts';
import { createMaintenanceConfigController } from './maintenance-config.ts';
import { createMaintenanceInformController } from './maintenance-inform.ts';
import { createMaintenanceRootController } from './maintenance-root.ts';
import { createRootOsController } from './root-os.ts';
import { createTrustdController } from './trustd.ts';

export interface SecretsControllersInit {
  /** host:port on which apid listens. */
  readonly apidListenAddress: string;
  /** Returns numbers from 0 to below 1. */
  readonly random: () => number;
  /** Default: `never`. */
  readonly timeWait?: TimeWait;
  readonly telemetry: Telemetry;
  /** How a worker gets its certificate; default: from the trustd of a control plane. */
  readonly ask?: AskForCertificate;
}

/** The controllers of the node's own PKI, and of the listener settings of its API. */
export function secretsControllers({
  apidListenAddress,
  random,
  timeWait = 'never',
  telemetry,
  ask = createAsk(random, telemetry),
}: SecretsControllersInit): Controller[] {
  return [
    createRootOsController(),
    createApiCertSansController(),
    createMaintenanceCertSansController(),
    createMaintenanceRootController(),
    new ApiController(ask, random, timeWait),
    createTrustdController(),
    createCertificateEndsController(),
    createMaintenanceConfigController(apidListenAddress),
    createApiServiceConfigController(apidListenAddress),
    createMaintenanceInformController(),
  ];
}

/** Timeout of one trustd, short enough that one attempt can try the others. */
const trustdTimeoutMs = 3000;

function createAsk(random: () => number, telemetry: Telemetry): AskForCertificate {
  return ({ token, ...request }) =>
    inSpan(telemetry, 'request certificates', () =>
      requestCertificate({
        ...request,
        random,
        ask: (endpoint, csr, signal) =>
          askTrustd(endpoint, {
            request: csr,
            token: new Secret(token),
            acceptedCAs: request.acceptedCAs,
            telemetry,
            timeoutMs: trustdTimeoutMs,
            signal,
          }),
      }),
    );
}
