import { X509Certificate } from 'node:crypto';
import { pause } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import { createCertificateRequest, loadPrivateKey } from '@nodewright/pki';
import { compareByBytes } from '@nodewright/state';
import { shuffled, type TrustdEndpoint } from '../../cluster/domain/trustd-endpoints.ts';
import type { CertificateSpec } from '../domain/certificate-specs.ts';
import {
  requestAttemptTimeoutMs,
  requestPausesMs,
  requestTotalTimeoutMs,
} from '../domain/request-schedule.ts';
import type { TrustdAnswer } from './ask-trustd.ts';

export interface RequestCertificateInit {
  readonly certificate: Pick<CertificateSpec, 'commonName' | 'dnsNames' | 'ipAddresses'>;
  /** PEM. The new key uses the algorithm of these CAs. */
  readonly acceptedCAs: readonly string[];
  readonly endpoints: readonly TrustdEndpoint[];
  /** Sends the request to one endpoint. */
  readonly ask: (endpoint: TrustdEndpoint, request: string, signal: AbortSignal) => Promise<TrustdAnswer>;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Called with the failure of each round over all endpoints that is repeated. */
  readonly onFailure?: ((fault: Fault) => void) | undefined;
}

/** The certificate from a control plane, PEM. The key is a secret. */
export interface RequestedCertificate {
  readonly certificate: string;
  readonly key: string;
  /** One or more certificates. */
  readonly acceptedCAs: string;
}

/**
 * Requests a worker's certificate from the control planes: attempts with growing pauses, each at all
 * endpoints in random order, for a minute at most. Every error is retried. Source: Talos v1.14: worker flow.
 *
 * @throws Fault of the last attempt, or `failed-precondition` without an endpoint.
 */
export async function requestCertificate(init: RequestCertificateInit): Promise<RequestedCertificate> {
  const { acceptedCAs, endpoints, random } = init;
  if (endpoints.length === 0) {
    throw new Fault(
      'failed-precondition',
      'no control plane is known that could issue a certificate: neither the configuration nor discovery names one',
    );
  }
  const { commonName, dnsNames, ipAddresses } = init.certificate;
  const { request, key } = await createCertificateRequest({
    subject: { commonName },
    dnsNames,
    ipAddresses,
    like: acceptedCAs.join('\n'),
  });

  const signal = AbortSignal.any([init.signal, AbortSignal.timeout(requestTotalTimeoutMs)]);
  let failure = new Fault('cancelled', 'the certificate request was cancelled');
  for (const pauseMs of requestPausesMs(random)) {
    await pause(pauseMs, signal);
    if (signal.aborted) break;
    try {
      const attemptSignal = AbortSignal.any([signal, AbortSignal.timeout(requestAttemptTimeoutMs)]);
      const order = shuffled(endpoints, random);
      return checked(
        await askInTurn(
          order,
          (endpoint) => init.ask(endpoint, request, attemptSignal),
          attemptSignal,
          init.onFailure,
        ),
        key,
      );
    } catch (error) {
      failure = faultFrom(error);
      init.onFailure?.(failure);
    }
  }
  throw failure;
}

const firstRefusalPauseMs = 100;
const longestRefusalPauseMs = 2000;

/**
 * The first successful answer of an endpoint. While none can be reached, which is usual when a cluster
 * starts, the round is repeated within the same attempt.
 */
async function askInTurn<T>(
  endpoints: readonly TrustdEndpoint[],
  ask: (endpoint: TrustdEndpoint) => Promise<T>,
  signal: AbortSignal,
  onFailure: (fault: Fault) => void = () => {},
): Promise<T> {
  for (let pauseMs = firstRefusalPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestRefusalPauseMs)) {
    const failures: Fault[] = [];
    for (const endpoint of endpoints) {
      try {
        return await ask(endpoint);
      } catch (error) {
        failures.push(faultFrom(error));
      }
      if (signal.aborted) break;
    }
    const told = failures.find(({ kind }) => kind !== 'unavailable');
    if (told !== undefined || signal.aborted) throw told ?? failures.at(-1);
    onFailure(oneOf(failures));
    await pause(pauseMs, signal);
    if (signal.aborted) throw failures.at(-1);
  }
}

/** The same failure whatever the order of the endpoints was, so that it is not taken for a new one. */
function oneOf(failures: readonly Fault[]): Fault {
  const [first = new Fault('unavailable', 'no endpoint was asked')] = failures.toSorted((one, other) =>
    compareByBytes(one.message, other.message),
  );
  return first;
}

/** @throws Fault `data-loss` when the response is not a certificate for `key` */
function checked({ certificate, acceptedCAs }: TrustdAnswer, key: string): RequestedCertificate {
  if (!belongTogether(certificate, key) || !isCertificate(acceptedCAs)) {
    throw new Fault('data-loss', 'trustd did not return a certificate for the key of this node');
  }
  return { certificate, key, acceptedCAs };
}

function belongTogether(certificate: string, key: string): boolean {
  return isCertificate(certificate) && new X509Certificate(certificate).checkPrivateKey(loadPrivateKey(key));
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}
