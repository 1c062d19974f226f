import type { ConfigDocument } from '../config-document.ts';
import { labelOf } from '../decode/load-configuration.ts';
import { DocumentReader, formatPath, type ValuePath } from '../effective/config-reader.ts';
import { findNode, formatPosition } from '../yaml/config-node.ts';

/** What rules have found out, each a line of its own. */
export interface Findings {
  readonly errors: string[];
  readonly warnings: string[];
}

export function noFindings(): Findings {
  return { errors: [], warnings: [] };
}

type Path = readonly (string | number)[];

/**
 * A document, or a part of it, under examination: rules read it and say what is wrong where. Each complaint begins with
 * the path of the key and ends with its position, as far as that is known.
 */
export class CheckedDocument extends DocumentReader {
  readonly #findings: Findings;
  readonly #root: ValuePath;

  constructor(document: ConfigDocument, findings: Findings, root: ValuePath = []) {
    super(document, root);
    this.#findings = findings;
    this.#root = root;
  }

  get label(): string {
    return labelOf(this.document);
  }

  /** An error about the value at the path. */
  refuse(what: string, ...path: Path): void {
    this.#findings.errors.push(this.#about(what, path));
  }

  /** A warning about the value at the path. */
  warn(what: string, ...path: Path): void {
    this.#findings.warnings.push(this.#about(what, path));
  }

  override items(...path: string[]): CheckedDocument[] {
    return super.items(...path).map((_, at) => this.at(...path, at));
  }

  /** The part below the path. */
  at(...path: Path): CheckedDocument {
    return new CheckedDocument(this.document, this.#findings, [...this.#root, ...path]);
  }

  /** Each value of a map of objects. */
  entries(...path: string[]): CheckedDocument[] {
    return Object.keys(this.map(...path)).map((key) => this.at(...path, key));
  }

  /** An error when the text there is empty. */
  require(...path: string[]): boolean {
    if (this.text(...path) !== '') return true;
    this.refuse('is required', ...path);
    return false;
  }

  #about(what: string, path: Path): string {
    const full = [...this.#root, ...path];
    const where = full.length === 0 ? what : `${formatPath(full)} ${what}`;
    const { origin } = this.document;
    return origin ? `${where} (${formatPosition(findNode(origin.root, full))})` : where;
  }
}

/** What a rule of a kind does: looks at one document. */
export type DocumentRule = (document: CheckedDocument) => void;

export type DocumentRules = Readonly<Record<string, DocumentRule>>;
