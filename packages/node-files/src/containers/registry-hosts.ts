// The settings of registries for containerd, which pulls images for the kubelet.
import { registryHost } from '@nodewright/oci';
import type { RegistryConfigSpec } from '@nodewright/state/kinds';
import { type TomlValue, toml, tomlText } from './containerd-config.ts';

/** A file below the folder of registries. */
export interface RegistryFile {
  readonly path: string;
  readonly contents: string;
}

type Settings = Pick<RegistryConfigSpec, 'mirrors' | 'tls'>;

const everyRegistry = '*';
const hostOf = (url: string) => URL.parse(url)?.host ?? '';

/**
 * The files for containerd: `<registry>/hosts.toml`, and the certificates that it names. Source: Talos v1.14:
 * machine configuration, registries.
 *
 * @param folder of the registries on the node
 */
export function registryFiles({ mirrors, tls }: Settings, folder: string): RegistryFile[] {
  const files: RegistryFile[] = [];
  for (const [registry, { endpoints, skipFallback }] of sorted(mirrors)) {
    const place = folderName(registry);
    const last = skipFallback ? endpoints.at(-1) : undefined;
    const hosts = endpoints.filter((endpoint) => endpoint !== last);
    const values = ({ endpoint, overridePath }: (typeof endpoints)[number]) => {
      const certificates = certificateFiles(place, hostOf(endpoint), tls, folder);
      files.push(...certificates.files);
      return {
        capabilities: ['pull', 'resolve'],
        ...(overridePath ? { override_path: true } : {}),
        ...certificates.values,
      };
    };
    const tables: Record<string, Record<string, TomlValue>> = {};
    if (last !== undefined) tables[''] = { server: last.endpoint, ...values(last) };
    for (const host of hosts) tables[`host.${tomlText(host.endpoint)}`] = values(host);
    files.push({ path: `${place}/hosts.toml`, contents: toml(tables) });
  }
  for (const [registry] of sorted(tls)) {
    if (registry === everyRegistry || registry in mirrors) continue;
    const place = folderName(registry);
    const certificates = certificateFiles(place, registry, tls, folder);
    const server = { server: `https://${registryHost(registry)}`, ...certificates.values };
    files.push(...certificates.files, { path: `${place}/hosts.toml`, contents: toml({ '': server }) });
  }
  // Two endpoints of one host have the same certificates.
  return [...new Map(files.map((file) => [file.path, file])).values()];
}

function certificateFiles(place: string, host: string, tls: Settings['tls'], folder: string) {
  const settings = tls[host];
  const files: RegistryFile[] = [];
  const values: Record<string, TomlValue> = {};
  if (settings === undefined) return { files, values };
  const file = (suffix: string, contents: string) => {
    const path = `${place}/${folderName(host)}-${suffix}`;
    files.push({ path, contents });
    return `${folder}/${path}`;
  };
  if (settings.ca !== '') values.ca = file('ca.crt', settings.ca);
  const { clientIdentity } = settings;
  if (clientIdentity !== undefined)
    values.client = [[file('client.crt', clientIdentity.crt), file('client.key', clientIdentity.key)]];
  if (settings.insecureSkipVerify) values.skip_verify = true;
  return { files, values };
}

/** `*` is `_default`, and `host:port` is `host_port_`. */
function folderName(registry: string): string {
  if (registry === everyRegistry) return '_default';
  return registry.replace(/:(\d+)$/, '_$1_').replaceAll('/', '_');
}

const sorted = <V>(record: Readonly<Record<string, V>>) =>
  Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
