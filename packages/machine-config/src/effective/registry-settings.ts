import type { ConfigReader, DocumentReader } from './config-reader.ts';

/** An address that serves the images of a registry. */
export interface RegistryMirrorEndpoint {
  readonly url: string;
  /** The path of the URL is used as it is, without `/v2` behind it. */
  readonly overridePath: boolean;
}

/** Settings of registries, by their host with its port; `*` stands for every registry without settings of its own. */
export interface RegistrySettings {
  /** Whether the node keeps images in a cache of its own. */
  readonly imageCacheEnabled: boolean;
  readonly registries: {
    readonly mirrors: Readonly<
      Record<
        string,
        { readonly endpoints: readonly RegistryMirrorEndpoint[]; readonly skipFallback: boolean }
      >
    >;
    readonly auths: Readonly<
      Record<
        string,
        {
          readonly username: string;
          readonly password: string;
          /** Base64 of `user:password`. */
          readonly auth: string;
          readonly identityToken: string;
        }
      >
    >;
    readonly tls: Readonly<
      Record<
        string,
        {
          /** PEM; empty when not set. */
          readonly ca: string;
          readonly clientIdentity: { readonly crt: string; readonly key: string } | undefined;
          readonly insecureSkipVerify: boolean;
        }
      >
    >;
  };
}

/** Source: Talos v1.14: machine configuration, registry documents, ImageCacheConfig and `machine`. */
export function registrySettings(reader: ConfigReader): RegistrySettings {
  const { legacy } = reader;
  const at = ['machine', 'registries'] as const;
  const mirrors = Object.keys(legacy.map(...at, 'mirrors')).map((host) => {
    const mirror = legacy.below(...at, 'mirrors', host);
    const overridePath = mirror.boolean('overridePath') ?? false;
    const endpoints = mirror.texts('endpoints').map((url) => ({ url, overridePath }));
    return [host, { endpoints, skipFallback: mirror.boolean('skipFallback') ?? false }] as const;
  });
  const configs = Object.keys(legacy.map(...at, 'config')).map(
    (host) => [host, legacy.below(...at, 'config', host)] as const,
  );
  const documents = (kind: string) =>
    reader.documents(kind).map((document) => [document.name, document] as const);
  const legacyTls = configs
    .filter(([, config]) => config.has('tls'))
    .map(([host, config]) => [host, tlsOf(config.below('tls'), 'crt', fromBase64)] as const);
  const legacyAuths = configs
    .filter(([, config]) => config.has('auth'))
    .map(([host, config]) => [host, config.below('auth')] as const);
  return {
    imageCacheEnabled:
      reader.document('ImageCacheConfig')?.boolean('local', 'enabled') ??
      legacy.boolean('machine', 'features', 'imageCache', 'localEnabled') ??
      false,
    registries: {
      mirrors: Object.fromEntries([
        ...mirrors,
        ...documents('RegistryMirrorConfig').map(([host, document]) => [host, mirrorOf(document)] as const),
      ]),
      auths: Object.fromEntries(
        [...legacyAuths, ...documents('RegistryAuthConfig')].map(([host, auth]) => [host, authOf(auth)]),
      ),
      tls: Object.fromEntries([
        ...legacyTls,
        ...documents('RegistryTLSConfig').map(([host, document]) => [host, tlsOf(document, 'cert')] as const),
      ]),
    },
  };
}

function mirrorOf(document: DocumentReader) {
  return {
    endpoints: document.items('endpoints').map((endpoint) => ({
      url: endpoint.text('url'),
      overridePath: endpoint.boolean('overridePath') ?? false,
    })),
    skipFallback: document.boolean('skipFallback') ?? false,
  };
}

function authOf(reader: DocumentReader) {
  const text = (key: string) => reader.text(key);
  return {
    username: text('username'),
    password: text('password'),
    auth: text('auth'),
    identityToken: text('identityToken'),
  };
}

/** @param decode the legacy section has PEM in base64, the documents have it as it is */
function tlsOf(reader: DocumentReader, certificateKey: string, decode = (text: string) => text) {
  const crt = decode(reader.text('clientIdentity', certificateKey));
  return {
    ca: decode(reader.text('ca')),
    clientIdentity: crt === '' ? undefined : { crt, key: decode(reader.text('clientIdentity', 'key')) },
    insecureSkipVerify: reader.boolean('insecureSkipVerify') ?? false,
  };
}

const fromBase64 = (text: string) => Buffer.from(text, 'base64').toString('utf8');
