// The settings of registries for the two programs that pull images: machined, and containerd for the kubelet.
import type { EndpointsOf, RegistryEndpoint } from '@nodewright/oci';
import type { RegistryConfigSpec, RegistryTLSConfig } from '@nodewright/state/kinds';
import { type TomlValue, toml, tomlText } from './containerd-config.ts';

/** A file below the folder of registries. */
export interface RegistryFile {
  readonly path: string;
  readonly contents: string;
}

type Settings = Pick<RegistryConfigSpec, 'mirrors' | 'auths' | 'tls'>;

const everyRegistry = '*';
const hostOf = (url: string) => URL.parse(url)?.host ?? '';
/** The host of Docker Hub's API. */
const ownHost = (registry: string) => (registry === 'docker.io' ? 'registry-1.docker.io' : registry);

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
    const server = { server: `https://${ownHost(registry)}`, ...certificates.values };
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

/**
 * Where machined pulls from: the mirrors of a registry, then the registry itself. A certificate of a client and a registry
 * whose certificate is not to be verified are left to containerd.
 */
export function registryEndpoints({ mirrors, auths, tls }: Settings, own: EndpointsOf): EndpointsOf {
  const trusted = (endpoint: RegistryEndpoint, host: string): RegistryEndpoint => {
    const ca = caOf(tls[host]);
    const credentials = credentialsOf(auths[host]);
    return { ...endpoint, ...(ca && { ca }), ...(credentials && { credentials }) };
  };
  return (registry) => {
    const mirror = mirrors[registry] ?? mirrors[everyRegistry];
    const found = (mirror?.endpoints ?? []).map(({ endpoint, overridePath }) => {
      const host = hostOf(endpoint);
      const isMirror = host !== ownHost(registry);
      return trusted({ url: endpoint, overridesPath: overridePath, isMirror }, host);
    });
    const hasFallback = mirror === undefined || !mirror.skipFallback || found.length === 0;
    return hasFallback ? [...found, ...own(registry).map((one) => trusted(one, registry))] : found;
  };
}

const caOf = (tls: RegistryTLSConfig | undefined) => tls?.ca || undefined;

function credentialsOf(auth: Settings['auths'][string] | undefined): RegistryEndpoint['credentials'] {
  if (auth === undefined) return undefined;
  if (auth.username !== '') return { username: auth.username, password: auth.password };
  const [, username, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(auth.auth, 'base64').toString()) ?? [];
  return username === undefined || password === undefined ? undefined : { username, password };
}
