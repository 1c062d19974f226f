import type { Fault } from '@nodewright/fault';
import { isAlias, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { emptyKubeconfig, type Kubeconfig } from './kubeconfig.ts';

/** What a node may say of each part. Everything else could run a program, read a file or lead elsewhere. */
const documentKeys = [
  ...['apiVersion', 'kind', 'preferences', 'current-context'],
  ...['clusters', 'users', 'contexts'],
] as const;
const clusterKeys = ['server', 'certificate-authority-data', 'tls-server-name'] as const;
const userKeys = ['client-certificate-data', 'client-key-data', 'token'] as const;
const contextKeys = ['cluster', 'user', 'namespace'] as const;

/** Base64, maybe in several lines. */
const base64 = /^[A-Za-z0-9+/=\r\n]*$/;
/** An address without credentials, and a path. */
const secureServer = /^https:\/\/[^\s/?#@\\]+(\/[^\s?#\\]*)?$/;
const hostName = /^[\w.:-]+$/;
/** A name or a token: no control characters. */
const printable = /^\P{Cc}+$/u;

/**
 * Reads the kubeconfig that a node sent, and makes a new one of what a kubeconfig for an administrator needs: one cluster, one
 * user, and the context that joins these two. A context must not join the node's server with the credentials that the
 * user's own file has for another one.
 *
 * @param wrong makes the error; its text names what the node must not say, and quotes no value
 * @throws what `wrong` makes, for a text that says anything else
 */
export function rebuildKubeconfig(text: string, wrong: (what: string) => Fault): Kubeconfig {
  const { map, entry, optional } = new NodeText(wrong);
  const document = map(contents(text, wrong), 'it', documentKeys);
  const is = (key: string, expected: string) => {
    if (optional(document, key, printable) !== expected) throw wrong(`its ${key} is not ${expected}`);
  };
  is('apiVersion', 'v1');
  is('kind', 'Config');
  if (document.has('preferences')) map(document.get('preferences'), 'preferences', []);

  const cluster = entry(document, 'clusters', 'cluster', clusterKeys);
  const user = entry(document, 'users', 'user', userKeys);
  const context = entry(document, 'contexts', 'context', contextKeys);
  const server = optional(cluster.body, 'server', secureServer);
  if (server === undefined) throw wrong('its cluster has no server');
  const joins = (key: string, name: string) => optional(context.body, key, printable) === name;
  if (!joins('cluster', cluster.name) || !joins('user', user.name))
    throw wrong('its context names another cluster or user');
  if (optional(document, 'current-context', printable) !== context.name)
    throw wrong('its current-context is not its context');

  const given = (body: Entries, key: string, form: RegExp) => {
    const value = optional(body, key, form);
    return value === undefined ? {} : { [key]: value };
  };
  const clusterBody = {
    server,
    ...given(cluster.body, 'certificate-authority-data', base64),
    ...given(cluster.body, 'tls-server-name', hostName),
  };
  const userBody = {
    ...given(user.body, 'client-certificate-data', base64),
    ...given(user.body, 'client-key-data', base64),
    ...given(user.body, 'token', printable),
  };
  const contextBody = {
    ...{ cluster: cluster.name, user: user.name },
    ...given(context.body, 'namespace', printable),
  };
  return {
    ...emptyKubeconfig,
    clusters: [{ name: cluster.name, cluster: clusterBody }],
    users: [{ name: user.name, user: userBody }],
    contexts: [{ name: context.name, context: contextBody }],
    currentContext: context.name,
  };
}

/** Values of a map as they are written, by key. */
type Entries = ReadonlyMap<string, unknown>;

/** Reads YAML as it is written: all scalars are texts, and nothing refers to another place. */
class NodeText {
  readonly #wrong: (what: string) => Fault;

  constructor(wrong: (what: string) => Fault) {
    this.#wrong = wrong;
  }

  readonly map = (node: unknown, where: string, keys: readonly string[]): Entries => {
    this.#refuseReference(node, where);
    if (!isMap(node)) throw this.#wrong(`${where} is not a map`);
    const entries = new Map<string, unknown>();
    for (const { key, value } of node.items) {
      const name = this.#text(key, `a key of ${where}`);
      if (!keys.includes(name))
        throw this.#wrong(
          `${where} has the key ${JSON.stringify(name.slice(0, 64))}, which a node must not set`,
        );
      entries.set(name, value);
    }
    return entries;
  };

  /** The only entry of a list: its name and its body. */
  readonly entry = (document: Entries, list: string, part: string, keys: readonly string[]) => {
    const node = document.get(list);
    this.#refuseReference(node, list);
    if (!isSeq(node) || node.items.length !== 1) throw this.#wrong(`${list} is not a list of one ${part}`);
    const item = this.map(node.items[0], `the entry of ${list}`, ['name', part]);
    const name = this.optional(item, 'name', printable);
    if (name === undefined) throw this.#wrong(`an entry of ${list} has no name`);
    return { name, body: this.map(item.get(part), part, keys) };
  };

  /** A text of a form; `undefined` for none, and for an empty one. */
  readonly optional = (entries: Entries, key: string, form: RegExp): string | undefined => {
    if (!entries.has(key)) return undefined;
    const text = this.#text(entries.get(key), key);
    if (text === '') return undefined;
    if (!form.test(text)) throw this.#wrong(`${key} has a form that a node must not send`);
    return text;
  };

  #text(node: unknown, where: string): string {
    this.#refuseReference(node, where);
    if (node === null) return '';
    if (!isScalar(node) || typeof node.value !== 'string') throw this.#wrong(`${where} is not a text`);
    return node.value;
  }

  /** An alias stands for another place, and a tag says how kubectl would read the value. */
  #refuseReference(node: unknown, where: string): void {
    if (isAlias(node)) throw this.#wrong(`${where} is an alias`);
    if ((isScalar(node) || isMap(node) || isSeq(node)) && node.tag !== undefined)
      throw this.#wrong(`${where} has a tag`);
  }
}

function contents(text: string, wrong: (what: string) => Fault): unknown {
  try {
    const { contents: node, errors } = parseDocument(text, { schema: 'failsafe' });
    if (errors.length === 0) return node;
  } catch {
    // Lists in lists without an end.
  }
  // The messages of the parser may quote a line with a key.
  throw wrong('it is not YAML');
}
