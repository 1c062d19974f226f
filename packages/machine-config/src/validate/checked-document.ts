import type { ConfigDocument } from '../config-document.ts';
import { labelOf } from '../decode/load-configuration.ts';
import { DocumentReader, formatPath, type ValuePath } from '../effective/config-reader.ts';
import { findNode, formatPosition } from '../yaml/config-node.ts';

/** The errors and warnings of a validation, one per line. */
export interface Findings {
  readonly errors: string[];
  readonly warnings: string[];
}

export function noFindings(): Findings {
  return { errors: [], warnings: [] };
}

type Path = readonly (string | number)[];

/**
 * A document, or a part of it, that rules check. Each error or warning begins with the path of the key and
 * ends with its position, if known.
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

  /** Reports an error about the value at the path. */
  refuse(what: string, ...path: Path): void {
    this.#findings.errors.push(this.#about(what, path));
  }

  /** Reports a warning about the value at the path. */
  warn(what: string, ...path: Path): void {
    this.#findings.warnings.push(this.#about(what, path));
  }

  override items(...path: string[]): CheckedDocument[] {
    return super.items(...path).map((_, at) => this.at(...path, at));
  }

  /** Returns the part below the path. */
  at(...path: Path): CheckedDocument {
    return new CheckedDocument(this.document, this.#findings, [...this.#root, ...path]);
  }

  /** Returns each value of a map of objects. */
  entries(...path: string[]): CheckedDocument[] {
    return Object.keys(this.map(...path)).map((key) => this.at(...path, key));
  }

  /** Reports an error if the text at the path is empty. Returns whether it is set. */
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

/** Checks one document of a kind. */
export type DocumentRule = (document: CheckedDocument) => void;

export type DocumentRules = Readonly<Record<string, DocumentRule>>;
