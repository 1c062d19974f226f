import type { Configuration } from '../config-document.ts';
import { labelOfDocument } from './document-label.ts';
import { type InertDocument, inertFields, isInside } from './inert-fields.ts';
import type { InertRow, InertTable } from './inert-row.ts';
import type { NodeKind } from './node-kinds.ts';
import { unkeptPaths } from './unkept-protections.ts';

/** At most so many lines, because they travel in a reply and are read by people. */
const maxLines = 20;
const maxNames = 12;

export interface InertNotesInit {
  readonly node: NodeKind;
  /** The subject of the lines, with the verb: `this node does not act on`. */
  readonly subject: string;
  readonly table: InertTable;
}

/**
 * What of a configuration a node does not act on: a line for each document, and one for the documents and fields
 * that `gen config` writes without options, also when somebody changed their values. Lines name fields and documents, never values. At most 20 lines.
 */
export function inertNotes(configuration: Configuration, { node, subject, table }: InertNotesInit): string[] {
  const found = inertFields(configuration, node, table);
  const chosen = found.flatMap((each) => lineOf(each, subject));
  const plain = found.flatMap((each) =>
    each.rows.filter((row) => isPlain(each, row)).map(({ path }) => nameOf(each.document.kind, path)),
  );
  const last =
    plain.length === 0
      ? []
      : [`of the documents and fields that gen config writes, ${subject} ${listed([...new Set(plain)], 40)}`];
  const room = maxLines - last.length;
  if (chosen.length <= room) return [...chosen, ...last];
  const left = chosen.length - room + 1;
  return [...chosen.slice(0, room - 1), `${subject} fields of ${left} more documents`, ...last];
}

/** Whether a row goes into the line of all that is plain. What promises protection never does. */
function isPlain({ document }: InertDocument, row: InertRow): boolean {
  return row.isPlain === true && !unkeptPaths(document).some((path) => isInside(path, row.path));
}

function lineOf(inert: InertDocument, subject: string): string[] {
  const { document, rows } = inert;
  const paths = rows.filter((row) => !isPlain(inert, row)).map(({ path }) => path);
  if (paths.length === 0) return [];
  const label = labelOfDocument(document);
  return [
    paths[0] === ''
      ? `${label}: ${subject} this document`
      : `${label}: ${subject} ${listed(paths, maxNames)}`,
  ];
}

const nameOf = (kind: string, path: string) => (path === '' ? kind : `${kind} ${path}`);

function listed(names: readonly string[], most: number): string {
  if (names.length <= most) return names.join(', ');
  return `${names.slice(0, most).join(', ')} and ${names.length - most} more fields`;
}
