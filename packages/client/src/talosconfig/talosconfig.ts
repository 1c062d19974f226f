import type { Secret } from '@nodewright/fault';

/** One way to reach a cluster. Source: Talos v1.14: client configuration. */
export interface TalosconfigContext {
  /**
   * Hosts, `host:port` or URLs, as the user wrote them; the default port is 50000, or 443 for an `https` URL.
   */
  readonly endpoints: readonly string[];
  /** The nodes that commands call when the user names none. */
  readonly nodes: readonly string[];
  /** Standard base64 of PEM text. Without it, the system's trust roots are used. */
  readonly ca?: string;
  /** Standard base64 of the client certificate in PEM; requires `key`. */
  readonly crt?: string;
  /** Standard base64 of the client key in PEM. */
  readonly key?: Secret;
  readonly auth?: TalosconfigAuth;
  /** Sent as metadata `context` on each call, for proxies that serve several clusters. */
  readonly cluster?: string;
  /** `direct`, or the URL of a proxy. */
  readonly proxyUrl?: string;
  /** Keys that this version does not know. Saving the file preserves them. */
  readonly unknown?: Readonly<Record<string, unknown>>;
}

/** Authentication without a client certificate. */
export interface TalosconfigAuth {
  readonly basic?: { readonly username: string; readonly password: Secret };
  readonly siderov1?: { readonly identity: string };
}

/** The content of a talosconfig. */
export interface Talosconfig {
  /** Name of the current context; empty when there is none. */
  readonly context: string;
  readonly contexts: ReadonlyMap<string, TalosconfigContext>;
  /** Top-level keys that this version does not know. Saving the file preserves them. */
  readonly unknown?: Readonly<Record<string, unknown>>;
}

export const emptyTalosconfig: Talosconfig = { context: '', contexts: new Map() };

/** A context without any setting. */
export const emptyContext: TalosconfigContext = { endpoints: [], nodes: [] };

/** Returns a copy with one context added or replaced. */
export function withContext(config: Talosconfig, name: string, context: TalosconfigContext): Talosconfig {
  return { ...config, contexts: new Map(config.contexts).set(name, context) };
}

/** Returns a copy without one context. */
export function withoutContext(config: Talosconfig, name: string): Talosconfig {
  return { ...config, contexts: new Map([...config.contexts].filter(([other]) => other !== name)) };
}
