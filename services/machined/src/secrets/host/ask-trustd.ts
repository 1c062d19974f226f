import { metadataKeys } from '@nodewright/contract';
import { SecurityServiceDefinition } from '@nodewright/contract/gen/securityapi/security.ts';
import { Fault, faultFrom, type Secret } from '@nodewright/fault';
import { createRpcClient } from '@nodewright/rpc';
import type { Telemetry } from '@nodewright/telemetry';
import type { TrustdEndpoint } from '../../cluster/domain/trustd-endpoints.ts';
import { endpointText, openTrustdChannel } from '../../cluster/host/trustd-channel.ts';

export interface TrustdQuestion {
  /** PEM certificate request. */
  readonly request: string;
  readonly token: Secret;
  /** PEM: the CAs of which one must have signed trustd's certificate. */
  readonly acceptedCAs: readonly string[];
  readonly telemetry: Telemetry;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The response of trustd to a joining node, PEM. */
export interface TrustdAnswer {
  /** One or more certificates. */
  readonly acceptedCAs: string;
  readonly certificate: string;
}

/**
 * Sends a certificate request to the trustd at `endpoint`. The server's certificate must be signed by an
 * accepted CA and contain the host of the endpoint.
 *
 * @throws Fault that names the endpoint; `unavailable` without a listener or with a wrong certificate.
 */
export async function askTrustd(endpoint: TrustdEndpoint, question: TrustdQuestion): Promise<TrustdAnswer> {
  const name = endpointText(endpoint);
  const timeout = AbortSignal.timeout(question.timeoutMs);
  const channel = openTrustdChannel(endpoint, question.acceptedCAs);
  try {
    const client = createRpcClient(SecurityServiceDefinition, channel, {
      telemetry: question.telemetry,
      metadata: { [metadataKeys.token]: question.token.reveal() },
    });
    const { ca, crt } = await client.certificate(
      { csr: Buffer.from(question.request) },
      { signal: AbortSignal.any([question.signal, timeout]) },
    );
    return { acceptedCAs: Buffer.from(ca).toString(), certificate: Buffer.from(crt).toString() };
  } catch (error) {
    if (timeout.aborted)
      throw new Fault(
        'deadline-exceeded',
        `trustd at ${name} did not answer within ${question.timeoutMs} ms`,
      );
    const { kind, message } = faultFrom(error);
    throw new Fault(kind, `trustd at ${name}: ${message}`, { cause: error });
  } finally {
    channel.close();
  }
}
