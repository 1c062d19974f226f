import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@nodewright/files';
import { kubeletPaths } from '@nodewright/node-files';
import { encodeYaml } from '@nodewright/state';
import type { KubeletSecretSpec, KubeletSpecSpec } from '@nodewright/state/kinds';
import { prepareFolder } from '../../base/host/prepare-folder.ts';
import { writeIfChanged } from '../../base/host/write-if-changed.ts';
import { authoritiesText, bootstrapKubeconfig } from '../domain/bootstrap-kubeconfig.ts';
import { clientCertificateProblem } from '../domain/client-certificate.ts';

export interface KubeletFilesInit {
  /** Folder of the node, `/` for a whole node. */
  readonly root: string;
  /** Reports what was removed, and why. */
  readonly note: (message: string) => void;
}

/** What the kubelet reads when it starts. */
export interface KubeletInput {
  readonly spec: KubeletSpecSpec;
  readonly secrets: KubeletSecretSpec;
}

const privateMode = 0o700;
const publicMode = 0o755;

/** Folders with their modes. Source: Talos v1.14: directories. */
const folders = [
  { path: kubeletPaths.data, mode: privateMode },
  { path: `${kubeletPaths.data}/seccomp`, mode: privateMode },
  { path: `${kubeletPaths.data}/seccomp/profiles`, mode: privateMode },
  { path: `${kubeletPaths.settings}/pki`, mode: privateMode },
  { path: kubeletPaths.containerLogs, mode: publicMode },
  { path: kubeletPaths.podLogs, mode: publicMode },
] as const;

/**
 * Writes the files of the kubelet, and removes certificates that it must not use any more. Source: Talos v1.14: kubelet service,
 * TLS bootstrap.
 */
export async function prepareKubeletFiles(
  { root, note }: KubeletFilesInit,
  { spec, secrets }: KubeletInput,
): Promise<void> {
  const at = (path: string) => join(root, path);
  for (const { path, mode } of folders) await prepareFolder({ path: at(path), mode });
  for (const { source } of spec.extraMounts) if (source !== '') await makeFolder(at(source), privateMode);

  const secret = { mode: 0o600 };
  await writeIfChanged(at(kubeletPaths.ca), authoritiesText(secrets), { mode: 0o400 });
  await writeIfChanged(at(kubeletPaths.bootstrapKubeconfig), bootstrapKubeconfig(secrets), secret);
  await writeIfChanged(at(kubeletPaths.config), encodeYaml(spec.config), secret);
  if (Object.keys(spec.credentialProviderConfig).length > 0)
    await writeIfChanged(
      at(kubeletPaths.credentialProviders),
      encodeYaml(spec.credentialProviderConfig),
      secret,
    );

  // The kubelet makes a serving certificate for its present addresses.
  for (const name of ['kubelet.crt', 'kubelet.key'])
    await rm(join(at(kubeletPaths.certificates), name), { force: true });
  const problem = await problemOfClient(at(kubeletPaths.clientCertificate), { spec, secrets });
  if (problem === undefined) return;
  note(`the client certificate of the kubelet is replaced: ${problem}`);
  await rm(at(kubeletPaths.certificates), { recursive: true, force: true });
  await rm(at(kubeletPaths.kubeconfig), { force: true });
}

async function problemOfClient(path: string, { spec, secrets }: KubeletInput): Promise<string | undefined> {
  const pem = await readFile(path, 'utf8').catch(() => undefined);
  if (pem === undefined) return undefined;
  const authorities = secrets.acceptedCAs.map(({ crt }) => crt);
  return clientCertificateProblem(pem, { nodename: spec.expectedNodename, authorities });
}
