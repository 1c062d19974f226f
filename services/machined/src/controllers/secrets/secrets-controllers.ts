import type { Controller } from '@nodewright/controllers';
import { Secret } from '@nodewright/fault';
import type { Telemetry } from '@nodewright/telemetry';
import { askTrustd } from '../../host/ask-trustd.ts';
import { inSpan } from '../../host/in-span.ts';
import { requestCertificate } from '../../host/request-certificate.ts';
import { createApiServiceConfigController } from '../api/api-service-config.ts';
import { createMaintenanceConfigController } from '../api/maintenance-config.ts';
import { createMaintenanceInformController } from '../api/maintenance-inform.ts';
import { ApiController, type AskForCertificate } from './api.ts';
import { createApiCertSansController } from './api-cert-sans.ts';
import { createEtcdSecretsController } from './etcd.ts';
import { createMaintenanceCertSansController } from './maintenance-cert-sans.ts';
import { createMaintenanceRootController } from './maintenance-root.ts';
import { createRootEtcdController } from './root-etcd.ts';
import { createRootOsController } from './root-os.ts';
import { createTrustdController } from './trustd.ts';

export interface SecretsControllersInit {
  /** host:port on which apid is to listen. */
  readonly apidListenAddress: string;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly telemetry: Telemetry;
  /** Further addresses that connections of this node's etcd to other members come from. */
  readonly etcdPeerSources?: readonly string[];
  /** How a worker gets its certificate; default: from the trustd of a control plane. */
  readonly ask?: AskForCertificate;
}

/** The controllers of the node's own PKI, and of how its API is served. */
export function secretsControllers({
  apidListenAddress,
  random,
  telemetry,
  etcdPeerSources,
  ask = createAsk(random, telemetry),
}: SecretsControllersInit): Controller[] {
  return [
    createRootOsController(),
    createApiCertSansController(),
    createMaintenanceCertSansController(),
    createMaintenanceRootController(),
    new ApiController(ask),
    createTrustdController(),
    createRootEtcdController(),
    createEtcdSecretsController(etcdPeerSources),
    createMaintenanceConfigController(apidListenAddress),
    createApiServiceConfigController(apidListenAddress),
    createMaintenanceInformController(),
  ];
}

/** How long one trustd may take to answer: the others want their turn in the same attempt. */
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
