import type { Fault } from '@nodewright/fault';
import { rpcErrorText } from '../nodes/node-errors.ts';
import { documentError } from '../render/document.ts';
import { formatTable } from '../render/table.ts';
import type { NodeCollection } from './collect-node.ts';

/**
 * More sources than this with the same reason share one row: a user who may not read secrets need not read
 * thirty rows.
 */
const maxRowsOfReason = 3;

/** The table of failures, `SOURCE ERROR`; empty without failures. Source: Talos v1.14: support bundle. */
export function failureTable(collections: readonly NodeCollection[], isTerminal = false): string {
  const rows = collections.flatMap(({ node, failures }) =>
    [...Map.groupBy(failures, ({ fault }) => withoutNames(rpcErrorText(fault)))].flatMap(
      ([reason, those]) => {
        const [first] = those;
        if (those.length > maxRowsOfReason)
          return [[`${node} ${those.length} sources, such as ${first?.source}`, reason]];
        return those.map(({ source, fault }) => [`${node} ${source}`, rpcErrorText(fault)]);
      },
    ),
  );
  return rows.length === 0 ? '' : `${formatTable([['SOURCE', 'ERROR'], ...rows], isTerminal).join('\n')}\n`;
}

/** The reason without the name of the source, which has its own column. */
const withoutNames = (text: string) => text.replaceAll(/"[^"]*"/g, '"..."');

/** The same as a document. @param sizeBytes undefined inside the archive, which is not written yet */
export function supportDocument(
  archive: string,
  sizeBytes: number | undefined,
  collections: readonly NodeCollection[],
  isInterrupted = false,
): object {
  return {
    archive,
    ...(sizeBytes === undefined ? {} : { sizeBytes }),
    ...(isInterrupted ? { interrupted: true } : {}),
    nodes: collections.map(({ node, files, sizeBytes: collectedBytes, failures, absent }) => ({
      ...{ node, files, collectedBytes },
      errors: failures.map(({ source, fault }: { source: string; fault: Fault }) => ({
        source,
        ...documentError(fault),
      })),
      notImplemented: absent,
    })),
  };
}
