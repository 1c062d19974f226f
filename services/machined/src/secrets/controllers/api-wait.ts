// What the API of a worker serves until a control plane has issued its certificate: a certificate of the node itself, so that its
// administrators reach a node that cannot reach its cluster.
import type { ReconcilePass } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import {
  type ApiCertificateSpec,
  apiCertificates,
  apiWaits,
  certSans,
  maintenanceRootSecrets,
  osRootSecrets,
} from '@nodewright/state/kinds';
import { waitText } from '../domain/wait-text.ts';
import { IssuedCertificates } from './issued-certificates.ts';

/** A worker that gets its certificate within this time, in ms, shows no other one. */
const graceMs = 5_000;
/** The reason is published at most this often, in ms, because each change reaches apid. */
const reasonPauseMs = 5_000;

/** Issues the certificate that the node also has in maintenance. */
export type IssueOwn = (pass: ReconcilePass, nowMs: number) => Promise<ApiCertificateSpec['server']>;

/** The wait of a worker for its certificate, from its first pass without one to the pass that has it. */
export class ApiWait {
  readonly #issueOwn: IssueOwn;
  readonly #issued = new IssuedCertificates();
  #sinceMs: number | undefined;
  #failure: string | undefined;
  #published: { readonly reason: string; readonly atMs: number } | undefined;

  constructor(issueOwn: IssueOwn) {
    this.#issueOwn = issueOwn;
  }

  /** Takes note of a request that failed. Returns whether the text of the wait changes. */
  failed(message: string): boolean {
    const isNew = message !== this.#failure;
    this.#failure = message;
    return isNew;
  }

  /** Publishes a certificate of the node itself, and why it has no other, once the wait is longer than a start usually takes. */
  async publish(pass: ReconcilePass): Promise<void> {
    this.#sinceMs ??= pass.monotonicMs();
    const leftMs = this.#sinceMs + graceMs - pass.monotonicMs();
    if (leftMs > 0) {
      pass.wakeAfter(leftMs);
      return;
    }
    const acceptedCAs = (await pass.get(pointerTo(osRootSecrets)))?.spec.acceptedCAs ?? [];
    // Without an authority no client could be told from a stranger.
    if (acceptedCAs.length === 0) return;
    await this.#publishReason(pass);
    await this.#publishCertificate(pass, acceptedCAs, pass.now());
  }

  async #publishReason(pass: ReconcilePass): Promise<void> {
    const nowMs = pass.monotonicMs();
    const reason = waitText(this.#failure);
    const { reason: before, atMs = 0 } = this.#published ?? {};
    if (reason === before) return;
    const leftMs = atMs + reasonPauseMs - nowMs;
    if (before !== undefined && leftMs > 0) {
      pass.wakeAfter(leftMs);
      return;
    }
    await pass.put({ ...pointerTo(apiWaits), spec: { reason } });
    this.#published = { reason, atMs: nowMs };
  }

  async #publishCertificate(
    pass: ReconcilePass,
    acceptedCAs: ApiCertificateSpec['acceptedCAs'],
    nowMs: number,
  ): Promise<void> {
    const ca = (await pass.get(pointerTo(maintenanceRootSecrets)))?.spec.ca;
    const sans = (await pass.get(pointerTo(certSans, 'maintenance')))?.spec;
    const inputs = { acceptedCAs, ca, sans };
    if (!this.#issued.isCurrent(inputs, nowMs)) {
      const server = await this.#issueOwn(pass, nowMs);
      if (server === undefined) return;
      const spec = { server, client: undefined, acceptedCAs, skipVerifyingClientCert: false };
      await pass.put({ ...pointerTo(apiCertificates), spec });
      this.#issued.remember(inputs, nowMs);
      pass.log.warn({ reason: this.#published?.reason }, 'the API has a certificate of this node alone');
    }
    pass.wakeAfter(this.#issued.delayMs(nowMs));
  }
}
