import { Fault, faultFrom } from '@nodewright/fault';
import { cleanPath, pathFromRequest } from '../domain/node-path.ts';
import type { FoundFile, NodeFiles } from '../host/node-files.ts';

/**
 * Finds the path at which a call that walks through folders begins, and resolves its links. A missing slash
 * at the start is added. The caller disposes the result.
 *
 * @throws Fault of kind `unknown` when the path does not exist. Source: Talos v1.14: List.
 */
export async function rootOfRequest(files: NodeFiles, path: string): Promise<FoundFile> {
  try {
    return await files.find(cleanPath(`/${pathFromRequest(path)}`));
  } catch (error) {
    throw missingIsUnknown(error);
  }
}

/**
 * Changes the kind `not-found` to `unknown`. Like upstream, only Read has a status code of its own for a
 * missing file.
 */
export function missingIsUnknown(error: unknown): unknown {
  const { kind, message } = faultFrom(error);
  return kind === 'not-found' ? new Fault('unknown', message, { cause: error }) : error;
}
