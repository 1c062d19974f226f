import type { CliEnvironment } from '../context/command-module.ts';
import type { NodeFailure } from '../context/failure.ts';
import type { NodeOptions } from '../nodes/node-options.ts';
import { readContext } from '../nodes/talosconfig-of.ts';
import { readCertificateFacts } from '../values/certificate-facts.ts';

/** What to do when nodes have refused the certificate of the context because it has ended; undefined when it is valid. */
export async function endedCertificate(
  env: CliEnvironment,
  options: NodeOptions,
  failures: readonly NodeFailure[],
): Promise<string | undefined> {
  const isRefused = failures.some(({ fault }) => ['unavailable', 'unauthenticated'].includes(fault.kind));
  if (!isRefused) return undefined;
  const { crt } = (await readContext(env, options)).context;
  if (crt === undefined || readCertificateFacts(crt).notAfter > env.now()) return undefined;
  return 'start a cluster of this machine again ("talosctl cluster start"), or get a new certificate with a context that is still valid ("talosctl config new"), or from the secrets of the cluster ("talosctl gen config --with-secrets")';
}
