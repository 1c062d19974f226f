import {
  type Controller,
  type ControllerSource,
  exclusive,
  type ReconcilePass,
  weak,
} from '@nodewright/controllers';
import type { Fault } from '@nodewright/fault';
import { parseCertificate } from '@nodewright/pki';
import { pointerTo } from '@nodewright/state';
import {
  type ApiCertificateSpec,
  apiCertificates,
  apiWaits,
  type CertSanSpec,
  certSans,
  endpoints,
  type MachineTypeName,
  machineTypes,
  maintenanceRootSecrets,
  maintenanceServiceRequests,
  networkStatuses,
  nodeAddresses,
  type OsRootSecretSpec,
  osRootSecrets,
  timeStatuses,
} from '@nodewright/state/kinds';
import { type TrustdEndpoint, trustdEndpoints } from '../../cluster/domain/trustd-endpoints.ts';
import { plainAddresses } from '../domain/cert-sans.ts';
import { endDelayMs, termOfIssued } from '../domain/certificate-renewal.ts';
import {
  apidClientCertificate,
  apidServerCertificate,
  type CertificateSpec,
  maintenanceServerCertificate,
} from '../domain/certificate-specs.ts';
import { type CertifiedNames, lackingNames } from '../domain/lacking-names.ts';
import type { TimeWait } from '../domain/time-wait.ts';
import type { RequestedCertificate } from '../host/request-certificate.ts';
import { ApiWait } from './api-wait.ts';
import { BackgroundRequest } from './background-request.ts';
import { CertificateDelay } from './certificate-delay.ts';
import { issueLocally } from './issue-locally.ts';
import { IssuedCertificates } from './issued-certificates.ts';
import { NameShortfall } from './name-shortfall.ts';

/**
 * Gets a certificate for a key of this node from a trustd; rejects when none signs it, or when `signal`
 * aborts.
 */
export type AskForCertificate = (request: {
  readonly certificate: CertificateSpec;
  readonly acceptedCAs: readonly string[];
  readonly token: string;
  readonly endpoints: readonly TrustdEndpoint[];
  readonly signal: AbortSignal;
  /** Called with the failure of each attempt that is repeated. */
  readonly onFailure?: (fault: Fault) => void;
}) => Promise<RequestedCertificate>;

/** The source of the certificates. Certificates of one source are not used for another. */
type Origin = 'maintenance' | 'own-ca' | 'trustd';

/** New certificates, and the inputs that they were made from. */
interface Made {
  readonly inputs: unknown;
  readonly spec: ApiCertificateSpec;
  readonly issuedAtMs: number;
  /** How long they need no renewal, in ms, if that does not follow from the time of issue. */
  readonly periodMs?: number;
}

const output = pointerTo(apiCertificates);

/**
 * The certificates of apid. A control plane issues them, a worker requests them from a control plane, and a
 * node without a configuration has a self-made one that clients cannot verify. While new certificates cannot
 * be obtained, the old ones stay in use; a worker that has none, or one that has ended, serves one of its own. Source: Talos v1.14:
 * secrets.APIController.
 */
export class ApiController implements Controller {
  readonly name = 'secrets.APIController';
  readonly inputs = [
    weak(networkStatuses, networkStatuses.singleton),
    weak(machineTypes, machineTypes.singleton),
    weak(osRootSecrets, osRootSecrets.singleton),
    weak(certSans),
    weak(timeStatuses, timeStatuses.singleton),
    weak(endpoints),
    weak(nodeAddresses, 'current'),
    weak(maintenanceRootSecrets, maintenanceRootSecrets.singleton),
    weak(maintenanceServiceRequests, maintenanceServiceRequests.singleton),
  ];
  readonly outputs = [exclusive(apiCertificates), exclusive(apiWaits)];
  readonly #ask: AskForCertificate;
  readonly #issued = new IssuedCertificates();
  readonly #delay: CertificateDelay;
  #origin: Origin | undefined;
  #request: BackgroundRequest<RequestedCertificate> | undefined;
  #wait: ApiWait | undefined;
  readonly #shortfall: NameShortfall;
  /** The names in the certificate from trustd. */
  #certified: CertifiedNames | undefined;
  /** When it ends, as Unix ms. */
  #endsAtMs = Number.POSITIVE_INFINITY;
  #wake: () => void = () => {};
  /**
   * The key of every certificate that the node makes for itself, until machined ends: clients that recognized it in maintenance recognize
   * the worker that waits.
   */
  #ownKey: string | undefined;

  /** @param random returns numbers from 0 to below 1 */
  constructor(ask: AskForCertificate, random: () => number, timeWait: TimeWait = 'never') {
    this.#ask = ask;
    this.#shortfall = new NameShortfall(random);
    this.#delay = new CertificateDelay(timeWait);
  }

  open(source: ControllerSource, scope: AsyncDisposableStack): void {
    this.#wake = () => source.wake();
    this.#request = scope.use(new BackgroundRequest(() => source.wake()));
  }

  async reconcile(pass: ReconcilePass): Promise<void> {
    const origin = originFor((await pass.get(pointerTo(machineTypes)))?.spec);
    if (origin !== this.#origin) {
      if (this.#origin === 'maintenance' && this.#issued.hasAny) this.#delay.afterMaintenance();
      await pass.replace(apiCertificates, []);
      await this.#endWait(pass);
      this.#request?.[Symbol.dispose]();
      this.#issued.forget();
      this.#certified = undefined;
      this.#endsAtMs = Number.POSITIVE_INFINITY;
      this.#origin = origin;
    }
    if (this.#certified !== undefined) this.#forgetEnded(pass);
    if (!(await pass.get(pointerTo(networkStatuses)))?.spec.addressReady) return;
    if (origin === 'trustd' && !this.#issued.hasAny) {
      this.#wait ??= new ApiWait((inPass, nowMs) => this.#issueOwn(inPass, nowMs));
      await this.#wait.publish(pass);
    }
    if (origin !== 'maintenance' && (await this.#delay.isDue(pass))) return;
    const made = await this.#makers[origin](pass);
    if (made !== undefined) {
      await pass.put({ ...output, spec: made.spec });
      this.#issued.remember(made.inputs, made.issuedAtMs, made.periodMs);
      pass.log.info({ origin, acceptedCAs: made.spec.acceptedCAs.length }, 'certificates issued');
    }
    if (this.#issued.hasAny) await this.#endWait(pass);
    // The answer to a request, or its failure, causes the next pass.
    if (this.#issued.hasAny && this.#request?.isPending !== true) {
      pass.wakeAfter(this.#issued.delayMs(pass.now()));
      const askAgainMs = this.#shortfall.delayMs(pass.monotonicMs());
      if (askAgainMs !== undefined) pass.wakeAfter(askAgainMs);
    }
  }

  /** New certificates; undefined while the current ones are valid, or when it is too early for any. */
  readonly #makers: Readonly<Record<Origin, (pass: ReconcilePass) => Promise<Made | undefined>>> = {
    maintenance: async (pass) => {
      // Every node starts without a configuration, so this certificate is made only after none was found.
      const request = await pass.get(pointerTo(maintenanceServiceRequests));
      if (request?.metadata.phase !== 'running') return undefined;
      const ca = (await pass.get(pointerTo(maintenanceRootSecrets)))?.spec.ca;
      const sans = (await pass.get(pointerTo(certSans, 'maintenance')))?.spec;
      if (ca === undefined || sans === undefined) return undefined;
      return this.#renew(pass, { ca, sans }, async (nowMs) => ({
        server: await this.#issueOwn(pass, nowMs),
        client: undefined,
        acceptedCAs: [],
        skipVerifyingClientCert: true,
      }));
    },

    'own-ca': async (pass) => {
      const { root, sans } = await apiInputs(pass);
      const { issuingCA, acceptedCAs = [] } = root ?? {};
      if (issuingCA === undefined || sans === undefined) return undefined;
      return this.#renew(pass, { issuingCA, acceptedCAs, sans }, async (nowMs) => ({
        server: await issueLocally(issuingCA, apidServerCertificate(sans), nowMs),
        client: await issueLocally(issuingCA, apidClientCertificate(sans), nowMs),
        acceptedCAs,
        skipVerifyingClientCert: false,
      }));
    },

    trustd: async (pass) => {
      const { root, sans } = await apiInputs(pass);
      if (root === undefined || sans === undefined) return undefined;
      return this.#askAgain(pass, root, sans);
    },
  };

  /** A certificate that no client can verify; undefined while the names of the node are unknown. */
  async #issueOwn(pass: ReconcilePass, nowMs: number): Promise<ApiCertificateSpec['server']> {
    const ca = (await pass.get(pointerTo(maintenanceRootSecrets)))?.spec.ca;
    const sans = (await pass.get(pointerTo(certSans, 'maintenance')))?.spec;
    if (ca === undefined || sans === undefined) return undefined;
    const pair = await issueLocally(ca, maintenanceServerCertificate(sans), nowMs, this.#ownKey);
    this.#ownKey = pair.key;
    return pair;
  }

  async #endWait(pass: ReconcilePass): Promise<void> {
    if (this.#wait === undefined) return;
    await pass.replace(apiWaits, []);
    this.#wait = undefined;
  }

  async #renew(
    pass: ReconcilePass,
    from: object,
    make: (nowMs: number) => Promise<ApiCertificateSpec>,
  ): Promise<Made | undefined> {
    const inputs = { ...from, epoch: await epochOf(pass) };
    const issuedAtMs = pass.now();
    if (this.#issued.isCurrent(inputs, issuedAtMs)) return undefined;
    return { inputs, spec: await make(issuedAtMs), issuedAtMs };
  }

  async #askAgain(pass: ReconcilePass, root: OsRootSecretSpec, sans: CertSanSpec): Promise<Made | undefined> {
    const { token } = root;
    const acceptedCAs = root.acceptedCAs.map(({ crt }) => crt);
    const inputs = { acceptedCAs, token, sans, epoch: await epochOf(pass) };
    // The endpoints are not inputs: a change of them does not invalidate the certificates.
    const isCurrent = this.#issued.isCurrent(inputs, pass.now());
    const lacking = isCurrent ? await this.#noteLacking(pass, sans) : [];
    if (isCurrent && !this.#shortfall.isDue(pass.monotonicMs())) return undefined;
    const targets = trustdEndpoints((await pass.list(endpoints)).map(({ spec }) => spec));
    const certificate = apidServerCertificate(sans);
    const state = this.#request?.poll({ inputs, targets }, pass.now(), (signal) =>
      this.#ask({
        ...{ certificate, acceptedCAs, token, endpoints: targets, signal },
        onFailure: ({ message }) => this.#wait?.failed(message) && this.#wake(),
      }),
    );
    if (state?.kind === 'failed') {
      this.#wait?.failed(state.fault.message);
      if (!isCurrent) throw state.fault;
      this.#keepCertificate(pass, state.fault);
      return undefined;
    }
    if (state?.kind !== 'done') return undefined;
    const { value, startedAtMs } = state;
    const certified = parseCertificate(value.certificate);
    if (isCurrent) {
      this.#shortfall.asked(pass.monotonicMs());
      // Another key for the same names would be of no use to anybody.
      const still = await this.#lackingIn(pass, certified, sans);
      if (still.length >= lacking.length) return undefined;
    }
    const { endsAtMs, renewalPeriodMs: periodMs } = termOfIssued(certified, startedAtMs);
    this.#certified = certified;
    this.#endsAtMs = endsAtMs;
    pass.wakeAfter(endDelayMs(endsAtMs, pass.now()));
    await this.#noteLacking(pass, sans);
    const spec: ApiCertificateSpec = {
      server: { crt: value.certificate, key: value.key },
      client: undefined,
      acceptedCAs: [{ crt: value.acceptedCAs }],
      skipVerifyingClientCert: false,
    };
    return { inputs, spec, issuedAtMs: startedAtMs, periodMs };
  }

  /** A certificate that has ended is none: no client accepts it, so the node shows one of its own until it has another. */
  #forgetEnded(pass: ReconcilePass): void {
    if (pass.now() < this.#endsAtMs) {
      pass.wakeAfter(endDelayMs(this.#endsAtMs, pass.now()));
      return;
    }
    pass.log.warn({}, 'the certificate of the API has ended');
    this.#issued.forget();
    this.#certified = undefined;
    this.#endsAtMs = Number.POSITIVE_INFINITY;
  }

  /** The names that the certificate in force lacks, which are logged when they change. */
  async #noteLacking(pass: ReconcilePass, sans: CertSanSpec): Promise<string[]> {
    const lacking = this.#certified === undefined ? [] : await this.#lackingIn(pass, this.#certified, sans);
    if (this.#shortfall.note(lacking, pass.monotonicMs()) && lacking.length > 0)
      pass.log.warn({ lacking }, 'the certificate lacks names of this node, trustd is asked again');
    return lacking;
  }

  async #lackingIn(pass: ReconcilePass, certified: CertifiedNames, sans: CertSanSpec): Promise<string[]> {
    const current = (await pass.get(pointerTo(nodeAddresses, 'current')))?.spec;
    return lackingNames(certified, sans, current === undefined ? [] : plainAddresses(current));
  }

  /** A request for more names has failed. It is no failure of the node, which has a certificate. */
  #keepCertificate(pass: ReconcilePass, { kind, message }: Fault): void {
    if (kind === 'permission-denied') this.#shortfall.refused(pass.monotonicMs());
    else this.#shortfall.asked(pass.monotonicMs());
    pass.log.warn({ error: message }, 'trustd gave no certificate with more names');
  }
}

function originFor(machineType: MachineTypeName | undefined): Origin {
  if (machineType === undefined || machineType === 'unknown') return 'maintenance';
  return machineType === 'worker' ? 'trustd' : 'own-ca';
}

async function apiInputs(pass: ReconcilePass) {
  const root = (await pass.get(pointerTo(osRootSecrets)))?.spec;
  const sans = (await pass.get(pointerTo(certSans, 'api')))?.spec;
  return { root, sans };
}

/** The epoch changes when the clock was set: then the certificates have wrong times. */
async function epochOf(pass: ReconcilePass): Promise<number> {
  return (await pass.get(pointerTo(timeStatuses)))?.spec.epoch ?? 0;
}
