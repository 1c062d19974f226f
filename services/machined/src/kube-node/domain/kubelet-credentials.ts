import type { Kubeconfig } from '@nodewright/client/kubeconfig';

/**
 * The kubeconfig of a kubelet with the content of the files that it names. The certificate and the key are one file, which the kubelet
 * replaces when it renews them.
 *
 * @param read returns the content of a file; `undefined` when there is none
 */
export function withFileContents(config: Kubeconfig, read: (path: string) => Buffer | undefined): Kubeconfig {
  return {
    ...config,
    clusters: config.clusters.map((entry) => ({ ...entry, cluster: inlined(entry.cluster, read) })),
    users: config.users.map((entry) => ({ ...entry, user: inlined(entry.user, read) })),
  };
}

const fileFields = ['certificate-authority', 'client-certificate', 'client-key'];

function inlined(fields: unknown, read: (path: string) => Buffer | undefined): unknown {
  if (typeof fields !== 'object' || fields === null) return fields;
  const contents = Object.entries(fields).flatMap(([name, path]) => {
    const content = fileFields.includes(name) && typeof path === 'string' ? read(path) : undefined;
    return content === undefined ? [] : [[`${name}-data`, content.toString('base64')] as const];
  });
  return { ...fields, ...Object.fromEntries(contents) };
}
