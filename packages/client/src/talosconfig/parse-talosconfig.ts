import { Fault, Secret } from '@nodewright/fault';
import { type Alias, type Document, isNode, LineCounter, parseDocument, visit } from 'yaml';
import { readPlainYaml } from './read-plain-yaml.ts';
import {
  emptyTalosconfig,
  type Talosconfig,
  type TalosconfigAuth,
  type TalosconfigContext,
} from './talosconfig.ts';

/** What the package for YAML says of a text, without the part that it quotes of the text, which may be a key or a password. */
const withoutQuote = (message: string) =>
  message.replace(/^(Invalid escape sequence) .*$/s, '$1').replace(/(?<=\S): .*$/s, '');

type Path = readonly string[];
type Mapping = Readonly<Record<string, unknown>>;

/** Reads values from a YAML document. Its errors name the line of the invalid value. */
class Reader {
  readonly #text: string;
  readonly #source: string;
  readonly #lines = new LineCounter();
  #parsed: Document | undefined;

  constructor(text: string, source: string) {
    this.#text = text;
    this.#source = source;
  }

  /** Parsed when it is first needed, because it takes long. */
  get #document(): Document {
    if (this.#parsed !== undefined) return this.#parsed;
    const document = parseDocument(this.#text, { lineCounter: this.#lines, prettyErrors: false });
    const [error] = document.errors;
    if (error !== undefined)
      throw this.#fault(this.#lines.linePos(error.pos[0]).line, withoutQuote(error.message));
    this.#parsed = document;
    return document;
  }

  /** @param isPlain whether the plain form may be read without the package for YAML */
  root(isPlain: boolean): Mapping | undefined {
    const value = (isPlain ? readPlainYaml(this.#text) : undefined) ?? this.#value();
    return value === null || value === undefined ? undefined : this.mapping(value, []);
  }

  #value(): unknown {
    const document = this.#document;
    try {
      return document.toJS({ maxAliasCount: 100 });
    } catch (error) {
      // `toJS` fails for aliases only: an alias without an anchor, or too many aliases.
      throw this.#fault(
        this.#lineOfAlias(),
        withoutQuote(error instanceof Error ? error.message : String(error)),
      );
    }
  }

  /** Returns the line of the first alias without an anchor, else of the first alias. */
  #lineOfAlias(): number {
    const aliases: Alias[] = [];
    visit(this.#document, { Alias: (_key, alias) => void aliases.push(alias) });
    const culprit = aliases.find((alias) => alias.resolve(this.#document) === undefined) ?? aliases[0];
    return culprit?.range ? this.#lines.linePos(culprit.range[0]).line : 1;
  }

  mapping(value: unknown, path: Path): Mapping {
    if (value === null || value === undefined) return {};
    if (typeof value !== 'object' || Array.isArray(value)) throw this.wrong(path, 'a mapping');
    return value as Mapping;
  }

  text(value: unknown, path: Path): string {
    if (value === null || value === undefined) return '';
    // YAML reads an unquoted name such as `1` or `true` as a number or boolean: use the text as written.
    if (typeof value === 'number' || typeof value === 'boolean')
      return this.#sourceText(path) ?? String(value);
    if (typeof value !== 'string') throw this.wrong(path, 'a text');
    return value;
  }

  texts(value: unknown, path: Path): string[] {
    if (value === null || value === undefined) return [];
    if (!Array.isArray(value)) throw this.wrong(path, 'a list');
    return value.map((item, index) => this.text(item, [...path, String(index)]));
  }

  wrong(path: Path, expected: string): Fault {
    const line = this.#lineOf(path);
    return this.#fault(
      line,
      path.length === 0 ? `expected ${expected}` : `"${path.join('.')}" must be ${expected}`,
    );
  }

  #node(path: Path): unknown {
    const keys = path.map((key) => (/^\d+$/.test(key) ? Number(key) : key));
    return this.#document.getIn(keys, true) ?? this.#document.getIn(path, true);
  }

  #sourceText(path: Path): string | undefined {
    const node = this.#node(path);
    return isNode(node) && 'source' in node && typeof node.source === 'string' ? node.source : undefined;
  }

  #lineOf(path: Path): number {
    for (let length = path.length; length > 0; length -= 1) {
      const node = this.#node(path.slice(0, length));
      if (isNode(node) && node.range) return this.#lines.linePos(node.range[0]).line;
    }
    return 1;
  }

  #fault(line: number, what: string): Fault {
    const [firstLine] = what.split('\n');
    return new Fault('invalid-argument', `talosconfig ${this.#source}: line ${line}: ${firstLine}`);
  }
}

function decodeAuth(reader: Reader, value: unknown, path: Path): TalosconfigAuth {
  const { basic, siderov1 } = reader.mapping(value, path);
  const auth: { basic?: TalosconfigAuth['basic']; siderov1?: TalosconfigAuth['siderov1'] } = {};
  if (basic !== undefined && basic !== null) {
    const at = [...path, 'basic'];
    const { username, password } = reader.mapping(basic, at);
    auth.basic = {
      username: reader.text(username, [...at, 'username']),
      password: new Secret(reader.text(password, [...at, 'password'])),
    };
  }
  if (siderov1 !== undefined && siderov1 !== null) {
    const at = [...path, 'siderov1'];
    auth.siderov1 = { identity: reader.text(reader.mapping(siderov1, at).identity, [...at, 'identity']) };
  }
  return auth;
}

/** Removes keys with an undefined or empty value, which mean the same as an absent key in this file. */
function compact<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined && v !== '')) as T;
}

function decodeContext(reader: Reader, value: unknown, path: Path): TalosconfigContext {
  const {
    endpoints,
    nodes,
    ca,
    crt,
    key,
    auth,
    cluster,
    target,
    'proxy-url': proxyUrl,
    ...unknown
  } = reader.mapping(value, path);
  const at = (name: string) => [...path, name];
  const keyText = reader.text(key, at('key'));
  const legacyTarget = reader.text(target, at('target'));
  return compact<TalosconfigContext>({
    endpoints: [...reader.texts(endpoints, at('endpoints')), ...(legacyTarget === '' ? [] : [legacyTarget])],
    nodes: reader.texts(nodes, at('nodes')),
    ca: reader.text(ca, at('ca')),
    crt: reader.text(crt, at('crt')),
    key: keyText === '' ? undefined : new Secret(keyText),
    auth: auth === undefined || auth === null ? undefined : decodeAuth(reader, auth, at('auth')),
    cluster: reader.text(cluster, at('cluster')),
    proxyUrl: reader.text(proxyUrl, at('proxy-url')),
    unknown: Object.keys(unknown).length === 0 ? undefined : unknown,
  });
}

/**
 * Parses a talosconfig. An empty text is an empty configuration. The legacy key `target` of a context is
 * appended to its endpoints.
 *
 * @param source the name of the text in errors, usually its path
 * @throws Fault `invalid-argument` that names the source and the line, and never quotes a value
 */
export function parseTalosconfig(text: string, source = '(text)'): Talosconfig {
  return decodeTalosconfig(text, source, true);
}

/** The same; the package for YAML reads everything unless `isPlain`. */
export function decodeTalosconfig(text: string, source: string, isPlain: boolean): Talosconfig {
  const reader = new Reader(text, source);
  const root = reader.root(isPlain);
  if (root === undefined) return emptyTalosconfig;
  const { context, contexts, ...unknown } = root;
  return {
    context: reader.text(context, ['context']),
    contexts: new Map(
      Object.entries(reader.mapping(contexts, ['contexts'])).map(([name, value]) => [
        name,
        decodeContext(reader, value, ['contexts', name]),
      ]),
    ),
    ...(Object.keys(unknown).length === 0 ? {} : { unknown }),
  };
}
