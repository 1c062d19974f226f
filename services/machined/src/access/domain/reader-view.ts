// What callers without the role of an administrator see of resources that are not sensitive as a kind, but may contain a secret.
import { redactedText } from '@nodewright/machine-config';
import type { Pointer } from '@nodewright/state';
import {
  type MetaKeySpec,
  metaKeys,
  type PlatformConfigSpec,
  platformConfigs,
} from '@nodewright/state/kinds';
import { type ParseOptions, parseDocument, type SchemaOptions, stringify } from 'yaml';

/** The network configuration of a machine, which may have keys of WireGuard, and tokens of the API of a cloud. Source: Talos v1.14: META tags. */
const networkKey = '0x0a';

/**
 * The specification as a reader may see it: keys of WireGuard and tokens are replaced. Everything else, and a specification without these,
 * is returned as it is. On purpose unlike upstream, which shows them: in maintenance everybody is a reader.
 */
export function readerView({ type, id }: Pick<Pointer, 'type' | 'id'>, spec: unknown): unknown {
  if (type === platformConfigs.type) return platformView(spec as PlatformConfigSpec);
  if (type === metaKeys.type && id === networkKey) {
    const { value } = spec as MetaKeySpec;
    const shown = networkText(value);
    return shown === value ? spec : { value: shown };
  }
  return spec;
}

const redacted = (key: string) => (key === '' ? '' : redactedText);

function platformView(spec: PlatformConfigSpec): PlatformConfigSpec {
  return {
    ...spec,
    links: spec.links.map((link) => ({
      ...link,
      wireguard: {
        ...link.wireguard,
        privateKey: redacted(link.wireguard.privateKey),
        peers: link.wireguard.peers.map((peer) => ({ ...peer, presharedKey: redacted(peer.presharedKey) })),
      },
    })),
    operators: spec.operators.map((operator) => {
      const { vip } = operator;
      const withoutToken = <T extends { readonly apiToken: string }>(cloud: T): T => ({
        ...cloud,
        apiToken: redacted(cloud.apiToken),
      });
      return {
        ...operator,
        vip: {
          ...vip,
          equinixMetal: withoutToken(vip.equinixMetal),
          hcloud: withoutToken(vip.hcloud),
        },
      };
    }),
  };
}

const options: ParseOptions & SchemaOptions & { readonly logLevel: 'silent' } = {
  ...({ merge: false, schema: 'core', logLevel: 'silent', uniqueKeys: false } as const),
};
const secretKeys: ReadonlySet<string> = new Set(['privateKey', 'presharedKey', 'apiToken']);

/** The text of a network configuration. One with secrets is written anew, because a comment may have others; a damaged one is not shown. */
function networkText(text: string): string {
  const hasWord = /(?:private|preshared)key|apitoken/i.test(text);
  // The word of a field may be written with escapes.
  if (!hasWord && !text.includes('\\')) return text;
  try {
    const document = parseDocument(text, options);
    if (document.errors.length > 0) return redactedText;
    // No aliases: a few of them stand for any number of values, and the machine takes none.
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    const shown = withoutSecrets(value);
    return !hasWord && JSON.stringify(shown) === JSON.stringify(value) ? text : stringify(shown);
  } catch {
    return redactedText;
  }
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key,
      secretKeys.has(key) && child !== '' && child !== null ? redactedText : withoutSecrets(child),
    ]),
  );
}
